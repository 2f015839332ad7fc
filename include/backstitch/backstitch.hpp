// Everything but the engines, which have headers of their own: <backstitch/host/engine.hpp>, ...
#pragma once

#include "backstitch/error.hpp"

#include "backstitch/analysis/schedule.hpp"
#include "backstitch/model/access.hpp"
#include "backstitch/model/pipeline.hpp"
#include "backstitch/model/role.hpp"
#include "backstitch/model/variable.hpp"
#include "backstitch/program/memory.hpp"
#include "backstitch/program/plan.hpp"
#include "backstitch/schedule/policies.hpp"
#include "backstitch/version.hpp"
