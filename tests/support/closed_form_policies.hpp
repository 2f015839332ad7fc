// All policies with a closed form, in one include.
#pragma once

#include "backstitch/schedule/policies/chimera.hpp"
#include "backstitch/schedule/policies/dual_pipe.hpp"
#include "backstitch/schedule/policies/dual_pipe_v.hpp"
#include "backstitch/schedule/policies/eager_one_f_one_b.hpp"
#include "backstitch/schedule/policies/f_then_b.hpp"
#include "backstitch/schedule/policies/forward_only.hpp"
#include "backstitch/schedule/policies/interleaved.hpp"
#include "backstitch/schedule/policies/looped_bfs.hpp"
#include "backstitch/schedule/policies/one_f_one_b.hpp"
#include "backstitch/schedule/policies/seq_one_f_one_b.hpp"
#include "backstitch/schedule/policies/v_min.hpp"
#include "backstitch/schedule/policies/vpp.hpp"
#include "backstitch/schedule/policies/zbv.hpp"
#include "backstitch/schedule/policies/zero_bubble_1p.hpp"
#include "backstitch/schedule/policies/zero_bubble_2p.hpp"
#include "backstitch/schedule/policies/zero_bubble_h1.hpp"
