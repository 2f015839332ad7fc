// A reader of handwritten digits, cut into four pipeline stages.
//
//            stage 0             stage 1             stage 2             stage 3
//            64 -> 128           128 -> 96           96 -> 64            64 -> 10
//
//  forward   load ---------------------------- labels ---------------------.
//            linear    output    linear    output    linear    output    linear
//            relu -------------> relu -------------> relu -------------> softmax_loss
//
//  backward  relu       delta    relu       delta    relu       delta    softmax_loss
//            linear_dw <-------- linear_dx <-------- linear_dx <-------- linear_dx
//                                linear_dw           linear_dw           linear_dw
//
//  update    sgd                 sgd                 sgd                 sgd
//
// No op mentions a stage, a thread or a message. That output<1> travels from stage 0 to stage 1
// follows from where its writer and its reader stand in the pipeline, at the end of this file.
#pragma once

#include <backstitch/backstitch.hpp>

#include "data.hpp"
#include "random.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace digits {

namespace bs = backstitch;

inline constexpr int rows = 16;          // of one micro-batch
inline constexpr int micro_batches = 8;  // of one step
inline constexpr int layers = 4;
// Layer L, counted from 1, takes width[L - 1] numbers to width[L].
inline constexpr int width[layers + 1] = {pixels, 128, 96, 64, classes};

// -- Variables: what the ops read and write -------------------------------------------------------

// clang-format off
template <int L> struct sum    : bs::activation<float[rows][width[L]]> {};  // x w + b
template <int L> struct output : bs::activation<float[rows][width[L]]> {};  // relu(sum)
using images = output<0>;
struct labels        : bs::activation<int[rows]> {};
struct probabilities : bs::activation<float[rows][classes]> {};
struct mean_loss     : bs::activation<float> {};  // no op reads this one and the next: they are
struct hits          : bs::activation<int> {};    // results of the step, for main to print

template <int L> struct weight;  // a parameter with a random start, see below
template <int L> struct bias   : bs::parameter<float[width[L]]> {};  // starts at zero

template <class Activation> struct delta    : bs::activation_gradient<Activation> {};
template <class Parameter>  struct gradient : bs::gradient<Parameter> {};
template <class Parameter>  struct velocity : bs::state<Parameter> {};
struct learning_rate : bs::step_value<float> {};  // each stage has its own
// clang-format on

template <int L>
using weights = float[width[L - 1]][width[L]];
template <int L>
struct weight : bs::parameter<weights<L>> {
  static void init(weights<L>& w) {  // uniform, with variance 2 / fan-in (He et al. 2015)
    const float limit = std::sqrt(6.0f / static_cast<float>(width[L - 1]));
    splitmix random{std::uint64_t{1000} + L};
    for (auto& row : w) {
      for (float& value : row) value = random.within(limit);
    }
  }
};

// -- Eigen's view of a plain array ----------------------------------------------------------------

template <int Rows, int Columns>
using row_major = Eigen::Matrix<float, Rows, Columns, Eigen::RowMajor>;
template <class Scalar, int Rows, int Columns>
using matrix_map =
    Eigen::Map<std::conditional_t<std::is_const_v<Scalar>, const row_major<Rows, Columns>,
                                  row_major<Rows, Columns>>>;

template <class Scalar, std::size_t Rows, std::size_t Columns>
auto matrix(Scalar (&array)[Rows][Columns]) {
  return matrix_map<Scalar, int{Rows}, int{Columns}>{&array[0][0]};
}
template <class Scalar, std::size_t Columns>
auto matrix(Scalar (&array)[Columns]) {
  return matrix_map<Scalar, 1, int{Columns}>{&array[0]};
}

// -- Forward --------------------------------------------------------------------------------------

struct load : bs::forward {
  row_stream stream;  // set from outside, once

  void operator()(bs::step_index step, bs::micro_batch m, bs::micro_batch_count count,
                  bs::out<images> image, bs::out<labels> wanted) {
    const auto first = (step * count + m) * std::size_t{rows};
    for (std::size_t row = 0; row < rows; ++row) {
      const auto& next = stream.at(first + row);
      splitmix noise{first + row};  // drawn anew for each visit, so that no row is learnt by heart
      std::transform(next.image, next.image + pixels, (*image)[row],
                     [&](float pixel) { return pixel + noise.within(0.3f); });
      (*wanted)[row] = next.label;
    }
  }
};

template <int L>
struct linear : bs::forward {
  void operator()(bs::in<output<L - 1>> x, bs::in<weight<L>> w, bs::in<bias<L>> b,
                  bs::out<sum<L>> s) const {
    matrix(*s).noalias() = matrix(*x) * matrix(*w);
    matrix(*s).rowwise() += matrix(*b);
  }
};

template <int L>
struct relu : bs::forward {
  void operator()(bs::in<sum<L>> s, bs::out<output<L>> y) const {
    matrix(*y) = matrix(*s).cwiseMax(0.0f);
  }
};

inline int likeliest(const float (&scores)[classes]) {
  return static_cast<int>(std::max_element(scores, scores + classes) - scores);
}

struct softmax_loss : bs::forward, bs::loss {
  void operator()(bs::in<sum<layers>> s, bs::in<labels> wanted, bs::out<probabilities> p,
                  bs::out<mean_loss> mean, bs::out<hits> hit) const {
    *mean = 0.0f;
    *hit = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto& scores = (*s)[row];
      const int label = (*wanted)[row];
      const int best = likeliest(scores);
      float total = 0.0f;
      for (int c = 0; c < classes; ++c) {
        total += (*p)[row][c] = std::exp(scores[c] - scores[best]);
      }
      for (float& value : (*p)[row]) {
        value /= total;
      }
      *mean += (std::log(total) + scores[best] - scores[label]) / float{rows};
      *hit += best == label ? 1 : 0;
    }
  }
};

// -- Backward -------------------------------------------------------------------------------------

struct softmax_loss_backward : bs::backward, bs::loss {
  void operator()(bs::in<probabilities> p, bs::in<labels> wanted, bs::micro_batch_count count,
                  bs::out<delta<sum<layers>>> ds) const {
    // The mean over all rows of the step is taken here, and nowhere else.
    const float scale = 1.0f / static_cast<float>(count * std::size_t{rows});
    for (std::size_t row = 0; row < rows; ++row) {
      for (int c = 0; c < classes; ++c) {
        (*ds)[row][c] = ((*p)[row][c] - (c == (*wanted)[row] ? 1.0f : 0.0f)) * scale;
      }
    }
  }
};

template <int L>
struct relu_backward : bs::backward {
  void operator()(bs::in<output<L>> y, bs::in<delta<output<L>>> dy,
                  bs::out<delta<sum<L>>> ds) const {
    matrix(*ds) = (matrix(*y).array() > 0.0f).select(matrix(*dy), 0.0f);
  }
};

template <int L>
struct linear_dw : bs::backward {
  void operator()(bs::in<output<L - 1>> x, bs::in<delta<sum<L>>> ds,
                  bs::accumulate<gradient<weight<L>>> dw,
                  bs::accumulate<gradient<bias<L>>> db) const {
    matrix(*dw).noalias() += matrix(*x).transpose() * matrix(*ds);
    for (const auto& row : *ds) {
      matrix(*db) += matrix(row);
    }
  }
};

template <int L>
struct linear_dx : bs::backward {
  void operator()(bs::in<delta<sum<L>>> ds, bs::in<weight<L>> w,
                  bs::out<delta<output<L - 1>>> dx) const {
    matrix(*dx).noalias() = matrix(*ds) * matrix(*w).transpose();
  }
};

// -- Update ---------------------------------------------------------------------------------------

struct warm_up_then_decay : bs::lr_schedule {  // up in a straight line, then down as 1 / step
  void operator()(bs::step_index step, bs::out<learning_rate> rate) const {
    constexpr float peak = 0.15f;
    constexpr float warm_up = 100.0f;
    const auto now = static_cast<float>(step + std::size_t{1});
    *rate = peak * std::min(now / warm_up, warm_up / now);
  }
};

template <class Parameter>
struct sgd : bs::optimize {  // with momentum
  void operator()(bs::in<learning_rate> rate, bs::in<gradient<Parameter>> g,
                  bs::inout<velocity<Parameter>> v, bs::inout<Parameter> p) const {
    matrix(*v) = 0.9f * matrix(*v) + matrix(*g);
    matrix(*p) -= *rate * matrix(*v);
  }
};

// -- The pipeline ---------------------------------------------------------------------------------

// clang-format off
using model = bs::pipeline<
    bs::stage<load, linear<1>, relu<1>,
              relu_backward<1>, linear_dw<1>,
              warm_up_then_decay, sgd<weight<1>>, sgd<bias<1>>>,
    bs::stage<linear<2>, relu<2>,
              relu_backward<2>, linear_dx<2>, linear_dw<2>,
              warm_up_then_decay, sgd<weight<2>>, sgd<bias<2>>>,
    bs::stage<linear<3>, relu<3>,
              relu_backward<3>, linear_dx<3>, linear_dw<3>,
              warm_up_then_decay, sgd<weight<3>>, sgd<bias<3>>>,
    bs::stage<linear<4>, softmax_loss,
              softmax_loss_backward, linear_dx<4>, linear_dw<4>,
              warm_up_then_decay, sgd<weight<4>>, sgd<bias<4>>>>;
// clang-format on

}  // namespace digits
