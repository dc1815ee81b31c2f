#include "jit/translation.hpp"

#include "jit/host_part.hpp"
#include "jit/kernel_table.hpp"
#include "jit/members.hpp"
#include "jit/module_variables.hpp"
#include "jit/optional_headers.hpp"
#include "jit/refusals.hpp"
#include "jit/shared_variables.hpp"
#include "jit/shifts.hpp"
#include "jit/tokens.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace heddle::jit {
namespace {

/// What is between a pair of braces.
enum class scope : std::uint8_t { space, type, function, block, list };

class translator : private token_sequence {
 public:
  translator(std::string_view source, const lexer& read, const translation_options& options)
      : token_sequence(source, read.tokens()), source_(source), t_(read.tokens()), options_(options) {
    run();
    if (!refusals_.empty()) throw error(refusals_);
    for (const text_range& header : unused_headers(source, t_))
      edits_.push_back({header.begin, header.end - header.begin, ""});
    finish();
  }

  translation result() && { return std::move(result_); }

 private:
  /// What a function's body names, and whether it lets threads meet.
  struct function_facts {
    bool meets = false;
    std::set<std::string_view> names;
  };
  struct open_scope {
    scope kind;
    std::string name;            // of a namespace
    std::size_t kernels_before;  // declared before it
    std::size_t declaration;
    bool has_inner_braces;     // which the function was given for shared variables of a namespace
    bool is_device;            // code of the device
    bool has_own_statics;      // it is compiled once, so that what is static in it is one variable
    function_facts* facts;     // of the function that it is part of; null outside
    std::size_t begin = 0;     // the token that opens it
    bool is_left_out = false;  // a function of the host, where only kernels run, that uses what is refused
    bool is_dropped = false;   // the same, and its declaration does
    bool is_kernel = false;    // the body of one
  };
  struct edit {
    std::size_t begin, length;
    std::string text;
    bool is_whole = false;
  };

  // ------------------------------------------------------------------------------------------- small
  // questions

  scope where() const { return scopes_.empty() ? scope::space : scopes_.back().kind; }
  bool in_device_code() const { return !scopes_.empty() && scopes_.back().is_device; }
  bool in_function() const { return where() == scope::function || where() == scope::block; }

  // -------------------------------------------------------------------------------------------------
  // rewriting

  void replace(std::size_t first, std::size_t last, std::string text, bool is_whole = false) {
    const std::string_view old = text_of(first, last);
    // What follows keeps its line.
    if (old.find("\n#") == std::string_view::npos) {
      text.append(static_cast<std::size_t>(std::count(old.begin(), old.end(), '\n')), '\n');
    } else {
      text += fmt::format("\n# {} \"{}\"\n", t_[last - 1].line, *t_[last - 1].file);
    }
    edits_.push_back({t_[first].begin, old.size(), std::move(text), is_whole});
  }
  void apply(const token_edit& e) {
    if (e.first == e.last) {
      insert(t_[e.first].begin, e.text);
    } else {
      replace(e.first, e.last, e.text);
    }
  }
  void insert(std::size_t offset, std::string text) { edits_.push_back({offset, 0, std::move(text)}); }

  void run() {
    declaration_ = 0;
    for (std::size_t i = 0; i < t_.size();) i = step(i);
  }

  std::size_t step(std::size_t i) {
    const token& t = t_[i];
    if (t.kind == token_kind::identifier) return word(i);
    if (t.text == "{") {
      open(i);
    } else if (t.text == "}") {
      close(i);
    } else if (t.text == ";") {
      if (where() == scope::space && refused_declaration_ == declaration_) {
        replace(declaration_, i + 1, "", true);
        refused_declaration_ = nowhere;
        declaration_ = i + 1;
        return i + 1;
      }
      if (where() == scope::space && structure_.close != 0) {
        insert(end_of(i),
               describe_members(*this, structure_.first, structure_.open, structure_.close, i, next_number_));
        structure_ = {};
      }
      const bool is_static = in_device_code() && in_function() && is(declaration_, "static");
      if (is_static ? scopes_.back().has_own_statics : where() == scope::space) describe(i, is_static);
      declaration_ = i + 1;
    } else if (t.text == ":" && where() == scope::type && i > 0 &&
               (is(i - 1, "public") || is(i - 1, "private") || is(i - 1, "protected"))) {
      declaration_ = i + 1;
    } else if (opens_launch(*this, i)) {
      return rewrite_launch(i);
    } else if (t.text == "[" && in_device_code() && in_function()) {
      note_subscript(i);
    } else if ((t.text == "<" || t.text == ">") && in_device_code() && in_function()) {
      for (const token_edit& e : rewrite_shift(*this, i, declaration_)) apply(e);
    }
    return i + 1;
  }

  /// The variables of the module that the present declaration declares, which token `end` ends.
  void describe(std::size_t end, bool is_static) {
    if (is(declaration_, "template")) {
      if (const auto v = find_template_variable(*this, declaration_, end)) template_variables_[v->name] = *v;
      return;
    }
    insert(end_of(end), describe_variables(*this, declaration_, end, is_static, next_number_));
  }

  std::size_t word(std::size_t i) {
    const std::string_view w = t_[i].text;
    if (w == "volatile") result_.has_volatile = true;
    if (w == "return" && in_kernel()) kernel_returns_ = true;
    if (lets_blocks_meet(w)) blocks_are_independent_ = false;
    function_facts* const facts = scopes_.empty() ? nullptr : scopes_.back().facts;
    if (facts != nullptr) facts->names.insert(w);
    if (lets_threads_meet(w)) (facts != nullptr ? facts->meets : meets_outside_functions_) = true;
    if (w == "__global__") {
      declare_kernel(i);
      replace(i, i + 1, options_.flattens ? "__attribute__((flatten))" : "");
    } else if (w == "__device__" || w == "__constant__" || w == "__managed__" || w == "__host__" ||
               w == "__grid_constant__") {
      replace(i, i + 1, std::string(w == "__host__" ? "" : linkage_of_file()));
    } else if (w == "__forceinline__") {
      replace(i, i + 1,
              says_inline(i) ? "__attribute__((always_inline))" : "inline __attribute__((always_inline))");
    } else if (w == "__noinline__" && !(i > 0 && (is(i - 1, "(") || is(i - 1, ",")))) {
      replace(i, i + 1, "__attribute__((noinline))");
    } else if (w == "__launch_bounds__" && is(i + 1, "(")) {
      const std::size_t end = after_group(i + 1);
      replace(i, end, "");
      return end;
    } else if (w == "__shared__") {
      return declare_shared(i);
    } else if (w.starts_with("__syncthreads") && is(i + 1, "(")) {
      number_barrier(i);
    } else {
      const bool called_so = !(i > 0 && (is(i - 1, ".") || is(i - 1, "->")));
      if (called_so) host_or_device_word(i);
      note_refusal(i, why_refused(i));
    }
    return i + 1;
  }

  /// Why token i, a name, is not supported; empty where it is.
  std::string why_refused(std::size_t i) const {
    const bool called_so = !(i > 0 && (is(i - 1, ".") || is(i - 1, "->")));
    const library* const of = called_so ? library_named(*this, i, options_.libraries) : nullptr;
    return of != nullptr ? fmt::format("{}: {} is not supported", t_[i].text, of->name)
                         : why_unsupported(*this, i, called_so, in_device_code());
  }

  /// Whether token i, a name, is what a function of the source's own is declared as.
  bool declares_function(std::size_t i) const {
    return !in_function() && is(i + 1, "(") && i > declaration_ &&
           ((is_identifier(i - 1) && !is(i - 1, "return")) || is(i - 1, "*") || is(i - 1, "&") ||
            is(i - 1, ">"));
  }

  /// All that is not supported is told at once, each name at its first place.
  void note_refusal(std::size_t i, const std::string& why) {
    if (why.empty() || own_functions_.count(t_[i].text) != 0) return;
    if (declares_function(i)) {
      own_functions_.insert(t_[i].text);
      return;
    }
    if (!options_.is_program && leave_out(i)) return;
    if (!refused_.insert(t_[i].text).second) return;
    refusals_ += fmt::format("{}{}:{}: {}", refusals_.empty() ? "" : "\n", *t_[i].file, t_[i].line, why);
  }

  /// Of the host's part, where only kernels run, what uses something that is refused is left out.
  bool leave_out(std::size_t i) {
    if (in_device_code() || declares_device_code(i)) return false;
    for (open_scope& s : scopes_) {
      if (s.kind == scope::space) continue;
      if (s.kind == scope::type) return false;
      s.is_left_out = s.kind == scope::function;
      return s.is_left_out;
    }
    refused_declaration_ = declaration_;
    return true;
  }

  /// Where a thread is, in code of the device: the host's may call a variable so. Allocations, and instances
  /// of kernels, in code of the host.
  void host_or_device_word(std::size_t i) {
    const std::string_view w = t_[i].text;
    const auto has_name = [&](const char* name) { return w == name; };
    constexpr const char* places[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    if (std::any_of(std::begin(places), std::end(places), has_name)) {
      if (in_device_code() || declares_device_code(i))
        replace(i, i + 1, fmt::format("(::heddle_device::{}())", builtin_function(w)));
    } else if (in_function() && !in_device_code()) {
      if (const auto named = name_allocation(*this, i)) apply(*named);
      const auto variable = template_variables_.find(w);
      if (variable != template_variables_.end()) {
        if (const auto edits = register_variable(*this, i, variable->second)) {
          for (const token_edit& e : *edits) apply(e);
        }
      }
      const bool is_template =
          std::any_of(kernels_.begin(), kernels_.end(),
                      [&](const kernel_declaration& k) { return k.is_template && k.name == w; });
      if (!is_template) return;
      if (const auto edits = register_instance(*this, i)) {
        for (const token_edit& e : *edits) apply(e);
      }
    }
  }

  /// Barriers are told apart by their lines; of several on one line the others have a number, too.
  void number_barrier(std::size_t i) {
    const std::size_t before = std::exchange(last_barrier_, i);
    const bool same_line = before < i && t_[before].line == t_[i].line && *t_[before].file == *t_[i].file;
    barriers_on_line_ = same_line && barriers_on_line_ < 100 ? barriers_on_line_ + 1 : 0;
    const bool may_have_returned = !in_kernel() || kernel_returns_;
    if (barriers_on_line_ == 0 && may_have_returned) return;
    const std::size_t last = after_group(i + 1) - 1;
    insert(t_[last].begin,
           fmt::format("{}__builtin_FILE(), __builtin_LINE() + {} * ::heddle_device::barriers_on_a_line{}",
                       last == i + 2 ? "" : ", ", barriers_on_line_,
                       may_have_returned ? "" : " + ::heddle_device::no_return_before"));
  }

  /// What keeps a declaration of the device's to its file, where every file has its own.
  std::string_view linkage_of_file() {
    if (!options_.is_apart || where() != scope::space || given_linkage_ == declaration_) return "";
    bool is_template = false, is_specialisation = false, is_variable = true;
    std::size_t j = declaration_;
    for (; j < t_.size() && !is(j, ";") && !is(j, "=") && !is(j, "{") && !is(j, "["); ++j) {
      if (is(j, "extern") || is(j, "static") || is(j, "__host__") || is(j, "typedef") || is(j, "using"))
        return "";
      if (is(j, "template")) {
        if (!is(j + 1, "<")) return "";  // an explicit instantiation
        is_template = true;
        is_specialisation = is(j + 2, ">");
        j = after_group(j + 1) - 1;
      } else if (takes_a_group(j)) {
        j = after_group(j + 1) - 1;
      } else if (is(j, "<") && !is(j - 1, "operator")) {
        j = after_group(j) - 1;
      } else if (is(j, "(")) {
        is_variable = false;
        break;
      }
    }
    // What is a member is declared in its class.
    std::size_t name = j;
    while (name > declaration_ && !is_identifier(name - 1)) --name;
    for (std::size_t k = declaration_; k < j; ++k) {
      if (is(k, "operator")) name = k + 1;
    }
    const bool is_member = name > declaration_ + 1 && is(name - 2, "::");
    given_linkage_ = declaration_;
    if (is_member || is_specialisation) return is_variable ? "" : "inline";
    if (is_template && is_variable) return "";
    return "static";
  }

  bool in_kernel() const {
    return std::any_of(scopes_.begin(), scopes_.end(), [](const open_scope& s) { return s.is_kernel; });
  }

  static const char* builtin_function(std::string_view name) {
    return name == "threadIdx"  ? "thread_index"
           : name == "blockIdx" ? "block_index"
           : name == "blockDim" ? "block_size"
                                : "grid_size";
  }

  /// Before its body: in an initialiser of a constructor's, a default argument, …
  bool declares_device_code(std::size_t i) const {
    for (std::size_t j = declaration_; j < i; ++j) {
      if (is(j, "__global__") || is(j, "__device__")) return true;
    }
    return false;
  }

  static bool lets_blocks_meet(std::string_view w) {
    for (const std::string_view word : {"volatile", "cuda", "this_grid", "grid_group", "printf", "clock",
                                        "clock64", "globaltimer", "__nanosleep"}) {
      if (w == word) return true;
    }
    return w.starts_with("atomic") || w.starts_with("__threadfence");
  }

  static bool lets_threads_meet(std::string_view w) {
    for (const std::string_view begin :
         {"__sync", "__barrier_sync", "__shfl_", "__any_sync", "__all_sync", "__uni_sync", "__ballot_sync",
          "__match_", "__reduce_", "__activemask"}) {
      if (w.starts_with(begin)) return true;
    }
    return w == "cooperative_groups" || lets_blocks_meet(w);
  }

  /// The token behind `<<<`.
  std::size_t rewrite_launch(std::size_t i) {
    const launch_parts launch = find_launch(*this, i);
    if (in_device_code()) {
      note_refusal(i, "<<<: launches from a kernel are not supported");
      return launch.inside;
    }
    // The last name before arguments of a template is the kernel's.
    std::size_t name = launch.first;
    while (name + 2 < i && is(name + 1, "::")) name += 2;
    std::string bound;
    for (const kernel_declaration& k : kernels_) {
      const auto found = bounds_.find(k.qualified);
      const std::string arguments = words_of(name + 1, i);
      if (!is(name, k.name) || found == bounds_.end() || (k.is_template && !is(name + 1, "<")) ||
          count_template_arguments(arguments) < found->second.arguments_used)
        continue;
      bound = "::" + found->second.variable + arguments;
    }
    for (const token_edit& e : jit::rewrite_launch(*this, launch, bound)) apply(e);
    return launch.inside;
  }

  void note_subscript(std::size_t i) {
    const std::size_t last = after_group(i) - 1;
    const auto indexed = indexed_before(*this, i);
    if (!indexed || last >= t_.size()) return;
    subscripts_.push_back({indexed->first, last});
    result_.subscripts.push_back(
        {*t_[i].file, std::string(text_of(indexed->first, i)), {}, {}, indexed->brackets});
  }

  bool says_inline(std::size_t i) const {
    for (std::size_t j = declaration_; j < t_.size() && !is(j, "(") && !is(j, ";") && !is(j, "{"); ++j) {
      if (j != i && (is(j, "inline") || is(j, "__inline__"))) return true;
      if (takes_a_group(j)) j = after_group(j + 1) - 1;
    }
    return false;
  }

  // ---------------------------------------------------------------------------------------------------
  // scopes

  void open(std::size_t i) {
    open_scope opened{scope::block,
                      "",
                      kernels_.size(),
                      declaration_,
                      false,
                      in_device_code(),
                      scopes_.empty() || scopes_.back().has_own_statics,
                      scopes_.empty() ? nullptr : scopes_.back().facts};
    for (std::size_t j = declaration_; j < i && !in_function(); ++j) {
      opened.is_device |= is(j, "__global__") || is(j, "__device__");
      for (const std::string_view word : {"template", "inline", "__inline__", "__forceinline__", "constexpr",
                                          "consteval", "auto", "class", "struct", "union"})
        opened.has_own_statics &= !is(j, word);
    }
    if (in_function()) {
      opened.is_device |= is_device_lambda(i);
      // An initialiser's braces end no declaration.
      if (i > 0 && (is(i - 1, "=") || is(i - 1, ",") || is(i - 1, "(") || where() == scope::list))
        opened.kind = scope::list;
    } else if (where() == scope::list) {
      opened.kind = scope::list;
    } else {
      classify(i, opened);
    }
    const bool is_body = opened.kind == scope::function;
    if (is_body) {
      const std::string_view name = function_name(i);
      opened.facts = &functions_[name];
      has_main_ |= scopes_.empty() && name == "main";
    }
    opened.begin = i;
    if (is_body && refused_declaration_ == declaration_) opened.is_dropped = true;
    for (std::size_t j = declaration_; j < i && is_body; ++j) opened.is_kernel |= is(j, "__global__");
    if (opened.is_kernel) kernel_returns_ = false;
    refused_declaration_ = nowhere;
    scopes_.push_back(std::move(opened));
    if (is_body) bring_shared_of_namespaces(i);
    if (scopes_.back().kind != scope::list) declaration_ = i + 1;
  }

  /// `[=] __device__ (int i) {`, and its like.
  bool is_device_lambda(std::size_t i) const {
    for (std::size_t j = i; j-- > declaration_ && !is(j, "]") && !is(j, ";") && !is(j, "{");) {
      if (is(j, "__device__")) return true;
    }
    return false;
  }

  void classify(std::size_t i, open_scope& opened) const {
    bool has_parameters = false, is_type = false, is_initialiser = false;
    for (std::size_t j = declaration_; j < i; ++j) {
      if (is(j, "namespace")) {
        opened.kind = scope::space;
        for (std::size_t k = j + 1; k < i; ++k) opened.name += t_[k].text;
        return;
      }
      if (takes_a_group(j)) {
        j = after_group(j + 1) - 1;
      } else if (is(j, "template") && is(j + 1, "<")) {
        j = after_group(j + 1) - 1;
      } else if (is(j, "class") || is(j, "struct") || is(j, "union") || is(j, "enum")) {
        is_type = true;
      } else if (is(j, "operator")) {
        has_parameters = true;
      } else if (is(j, "=")) {
        is_initialiser = true;
      } else if (is(j, "(")) {
        has_parameters = true;
        j = after_group(j) - 1;
      }
    }
    if (i == declaration_ + 2 && is(declaration_, "extern")) {
      opened.kind = scope::space;
    } else if (is_initialiser && !has_parameters) {
      opened.kind = scope::list;
    } else if (has_parameters) {
      opened.kind = scope::function;
    } else {
      opened.kind = is_type ? scope::type : scope::list;
    }
  }

  /// Of the function whose body token i opens; empty for what is not called by a name, such as an operator or
  /// a function of a class.
  std::string_view function_name(std::size_t i) const {
    for (const open_scope& s : scopes_) {
      if (s.kind == scope::type) return {};
    }
    for (std::size_t j = declaration_; j < i; ++j) {
      if (takes_a_group(j)) {
        j = after_group(j + 1) - 1;
      } else if (is(j, "operator")) {
        return {};
      } else if (is(j, "<")) {
        j = after_group(j) - 1;
      } else if (is(j, "(")) {
        return j > declaration_ && is_identifier(j - 1) ? t_[j - 1].text : std::string_view();
      }
    }
    return {};
  }

  /// Whether threads may meet in what a function names, and in what that names.
  bool may_meet(std::string_view function, std::set<std::string_view>& seen) const {
    const auto found = functions_.find(function);
    if (found == functions_.end() || !seen.insert(function).second) return false;
    return found->second.meets || std::any_of(found->second.names.begin(), found->second.names.end(),
                                              [&](std::string_view name) { return may_meet(name, seen); });
  }

  void close(std::size_t i) {
    if (scopes_.empty()) return;
    const open_scope closed = std::move(scopes_.back());
    scopes_.pop_back();
    if (closed.is_dropped) {
      replace(closed.declaration, i + 1, "", true);
    } else if (closed.is_left_out) {
      replace(closed.begin, i + 1, "{ __builtin_trap(); }", true);
    } else if (closed.has_inner_braces) {
      insert(t_[i].begin, "}");
    }
    if (closed.kind == scope::space) bring_constants_out(closed, end_of(i));
    if (closed.kind == scope::type && where() == scope::space)
      structure_ = {closed.declaration, closed.begin, i};
    // What follows the braces of a class or of an initialiser belongs to the same declaration.
    declaration_ = closed.kind == scope::list || closed.kind == scope::type ? closed.declaration : i + 1;
  }

  /// The constants of a namespace's kernels are brought into what is around it, and so, namespace by
  /// namespace, into the global one: from there an unnamed namespace within cannot be named.
  void bring_constants_out(const open_scope& closed, std::size_t end) {
    if (closed.name.empty()) return;
    for (std::size_t k = closed.kernels_before; k < kernels_.size(); ++k) {
      if (!kernels_[k].is_template)
        insert(end, fmt::format(" using {}{}::{};", present_namespace(), closed.name, kernels_[k].constant));
    }
  }

  /// What names it where it is open, from the global namespace or from the last unnamed one: with "::" behind
  /// it. Names without would also be looked for in what is `using namespace`.
  std::string present_namespace() const {
    std::string result = "::";
    for (const open_scope& s : scopes_) {
      if (is(s.declaration, "extern")) continue;  // the linkage of C
      result = s.name.empty() ? "" : result + s.name + "::";
    }
    return result;
  }

  std::string qualifiers() const {
    std::string result;
    for (const open_scope& s : scopes_) {
      if (s.kind == scope::space && !s.name.empty()) result += s.name + "::";
    }
    return result;
  }

  // --------------------------------------------------------------------------------------------------
  // kernels

  void declare_kernel(std::size_t i) {
    // A friend, or what a function declares, is declared in its namespace, too.
    if (where() != scope::space) return;
    kernel_declaration k;
    k.is_template = is(declaration_, "template");
    // An explicit instantiation or specialisation is of a template that is known.
    if (is(declaration_, "extern") && is(declaration_ + 1, "template")) return;
    if (k.is_template && (!is(declaration_ + 1, "<") || is(declaration_ + 2, ">"))) return;
    std::size_t bound = t_.size(), name = t_.size(), open = t_.size();
    for (std::size_t j = i + 1; j < t_.size(); ++j) {
      if (is(j, "__launch_bounds__") && is(j + 1, "(")) bound = j + 2;
      if (takes_a_group(j)) {
        j = after_group(j + 1) - 1;
      } else if (is(j, "<")) {
        j = after_group(j) - 1;
      } else if (is(j, "(")) {
        if (!is_identifier(j - 1)) refuse(t_[i], "a kernel without a name");
        k.name = t_[j - 1].text;
        name = j - 1;
        while (is(name - 1, "::") && is_identifier(name - 2)) name -= 2;
        for (std::size_t part = name; part < j; ++part) k.qualified += t_[part].text;
        k.qualified = qualifiers() + k.qualified;
        read_parameters(*this, j, k);
        open = j;
        break;
      } else if (is(j, ";") || is(j, "{")) {
        refuse(t_[i], "__global__ belongs to a function");
      }
    }
    // A declaration and its definition may differ in what they say. What is defined outside its namespace is
    // declared there.
    const bool is_outside = name + 1 < open;
    const auto known = std::find_if(kernels_.begin(), kernels_.end(), [&](const kernel_declaration& other) {
      return other.qualified == k.qualified &&
             (is_outside ? other.types.size() == k.types.size() : other.types == k.types);
    });
    if (bound < t_.size()) declare_bound(bound, k);
    k.is_defined = is(end_of_declarator(open), "{");
    if (known == kernels_.end()) {
      if (is_outside) return;
      if (!k.is_template) declare_constant(open, k);
      kernels_.push_back(std::move(k));
    } else {
      known->parameters = std::move(k.parameters);
      known->is_defined |= k.is_defined;
    }
  }

  /// The token behind what token `open`, the parenthesis of the parameters, is part of: ";", or "{" of a
  /// body.
  std::size_t end_of_declarator(std::size_t open) const {
    if (open >= t_.size()) return open;
    std::size_t last = after_group(open);
    while (last < t_.size() && !is(last, ";") && !is(last, "{"))
      last = is(last, "(") || is(last, "[") ? after_group(last) : last + 1;
    return last;
  }

  /// What is declared with its types in other words than its definition's is no overload: there is nothing to
  /// run where no body is.
  void remove_declared_again() {
    const std::vector<kernel_declaration> all = kernels_;
    std::erase_if(kernels_, [&](const kernel_declaration& k) {
      return !k.is_defined && std::any_of(all.begin(), all.end(), [&](const kernel_declaration& other) {
        return other.is_defined && other.qualified == k.qualified && other.is_template == k.is_template &&
               other.types.size() == k.types.size();
      });
    });
  }

  /// The kernel's address, behind its declaration, whose parameters token `open` opens. Other functions may
  /// have its name, those of the C library too: its type is that of one that is declared alike.
  void declare_constant(std::size_t open, kernel_declaration& k) {
    if (open >= t_.size()) return;
    std::string parameters = words_of(open, after_group(open));
    constexpr std::string_view unknown = "__grid_constant__";
    for (std::size_t at = parameters.find(unknown); at != std::string::npos; at = parameters.find(unknown))
      parameters.erase(at, unknown.size());
    std::size_t last = end_of_declarator(open);
    if (is(last, "{")) last = after_group(last) - 1;
    if (last >= t_.size()) return;
    const std::size_t number = next_number_++;
    k.constant = fmt::format("heddle_kernel_{}", number);
    insert(end_of(last),
           fmt::format(
               " void heddle_alike_{}{}; constexpr auto {} = static_cast<decltype(&heddle_alike_{})>(&{}{});",
               number, parameters, k.constant, number, present_namespace(), k.name));
  }

  /// The first argument of __launch_bounds__ is an expression, which may use the template's parameters.
  void declare_bound(std::size_t first, const kernel_declaration& k) {
    std::size_t last = first;
    while (!is(last, ",") && !is(last, ")")) {
      const bool is_template = is(last, "<") && is(after_group(last), "::");
      last = is_template || is(last, "(") || is(last, "{") || is(last, "[") ? after_group(last) : last + 1;
    }
    const std::string name = fmt::format("heddle_bound_{}", next_number_++);
    launch_bound bound{qualifiers() + name, 0};
    const std::string parameters = k.is_template ? parameters_of_bound(first, last, bound) : "";
    insert(t_[declaration_].begin,
           fmt::format("{}constexpr unsigned long long {} = static_cast<unsigned long "
                       "long>({}); ",
                       parameters, name, words_of(first, last)));
    bounds_[k.qualified] = std::move(bound);
  }

  /// Those of the template that the present declaration is, for a bound of tokens first … last−1. What it
  /// does not name has a default: a launch may leave that to be deduced.
  std::string parameters_of_bound(std::size_t first, std::size_t last, launch_bound& bound) const {
    const std::size_t end = after_group(declaration_ + 1) - 1;
    std::string result = "template <";
    std::size_t number = 0;
    for (std::size_t part = declaration_ + 2; part < end; ++number) {
      std::size_t next = part, name = end;
      bool has_default = false, is_pack = false;
      for (; next < end && !is(next, ","); ++next) {
        if (is(next, "<") || is(next, "(")) next = after_group(next) - 1;
        has_default |= is(next, "=");
        is_pack |= is(next, ".");
        if (!has_default && is_identifier(next)) name = next;
      }
      for (std::size_t j = first; j < last && name < end; ++j) {
        if (t_[j].text == t_[name].text) bound.arguments_used = number + 1;
      }
      const bool is_type = is(part, "class") || is(part, "typename");
      if (number > 0) result += ", ";
      result += words_of(part, next);
      if (!has_default && !is_pack && !is(part, "template"))
        result += is_type ? " = void"
                          : fmt::format(" = static_cast<{}>(0)",
                                        words_of(part, name == part ? next : std::min(name, next)));
      part = next + 1;
    }
    return result + "> ";
  }

  // ------------------------------------------------------------------------------------------ shared
  // variables

  std::size_t declare_shared(std::size_t i) {
    shared_declaration declared = rewrite_shared(*this, declaration_, i, !in_function(), next_number_++);
    for (std::size_t j = declaration_; j < declared.end; ++j) {
      if (t_[j].kind == token_kind::identifier) note_refusal(j, why_refused(j));
    }
    for (shared_of_namespace& of : declared.of_namespace) of_namespaces_.push_back(std::move(of));
    replace(declaration_, declared.end, std::move(declared.text));
    declaration_ = declared.end;
    return declared.end;
  }

  /// A function that names a shared variable of a namespace has its place looked up where it begins.
  void bring_shared_of_namespaces(std::size_t i) {
    if (of_namespaces_.empty()) return;
    const std::size_t end = after_group(i) - 1;
    std::string text;
    for (const shared_of_namespace& s : of_namespaces_) {
      const auto named = [&](std::size_t first, std::size_t last) {
        for (std::size_t j = first; j < last; ++j) {
          if (t_[j].text == s.name && !is(j - 1, ".") && !is(j - 1, "->") && !is(j - 1, "::")) return true;
        }
        return false;
      };
      if (named(i, end) && !named(declaration_, i)) text += " " + s.declaration;
    }
    if (text.empty()) return;
    insert(end_of(i), text + " {");
    scopes_.back().has_inner_braces = true;
  }

  // ------------------------------------------------------------------------------------------------- the
  // result

  void finish() {
    // What is replaced as a whole comes before what is changed inside.
    std::stable_sort(edits_.begin(), edits_.end(), [](const edit& a, const edit& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.is_whole && !b.is_whole;
    });
    std::size_t at = 0;
    const auto keep_until = [&](std::size_t end) {
      result_.kept.push_back({at, end, result_.text.size()});
      result_.text.append(source_, at, end - at);
    };
    for (const edit& e : edits_) {
      if (e.begin < at) continue;  // inside what was replaced as a whole
      keep_until(e.begin);
      result_.text += e.text;
      at = e.begin + e.length;
    }
    keep_until(source_.size());
    const auto place_of = [&](std::size_t token) {
      const std::size_t begin = t_[token].begin;
      const auto part =
          std::prev(std::upper_bound(result_.kept.begin(), result_.kept.end(), begin,
                                     [](std::size_t b, const kept_part& k) { return b < k.begin; }));
      const std::size_t in_text = part->in_text + (begin - part->begin);
      return text_place{t_[token].line, in_text - result_.text.rfind('\n', in_text)};
    };
    for (std::size_t i = 0; i < subscripts_.size(); ++i) {
      result_.subscripts[i].first = place_of(subscripts_[i].first);
      result_.subscripts[i].last = place_of(subscripts_[i].second);
    }

    remove_declared_again();
    for (kernel_declaration& k : kernels_) {
      k.is_overloaded = std::count_if(kernels_.begin(), kernels_.end(), [&](const kernel_declaration& other) {
                          return other.qualified == k.qualified;
                        }) > 1;
    }
    result_.text += kernel_table(kernels_, bounds_, options_);
    result_.has_main = has_main_;
    if (options_.is_program && has_main_) result_.text += main_entry();
    // Functions without a name may be called by any.
    std::set<std::string_view> of_unnamed;
    const bool any_may_meet = meets_outside_functions_ || may_meet({}, of_unnamed);
    for (kernel_declaration& k : kernels_) {
      std::set<std::string_view> seen;
      k.blocks_are_independent = blocks_are_independent_;
      k.threads_are_independent = !any_may_meet && !may_meet(k.name, seen);
    }
    result_.kernels = std::move(kernels_);
  }

  std::string_view source_;
  const std::vector<token>& t_;
  const translation_options& options_;
  std::vector<open_scope> scopes_;
  std::size_t declaration_ = 0;  // the token that the present declaration or statement begins with
  std::size_t next_number_ = 0;
  std::size_t last_barrier_ = static_cast<std::size_t>(-1), barriers_on_line_ = 0;
  bool kernel_returns_ = false;  // a return stands in the present kernel
  bool blocks_are_independent_ = true, meets_outside_functions_ = false, has_main_ = false;
  struct {
    std::size_t first = 0, open = 0, close = 0;
  } structure_;  // that the present declaration has the body of
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  std::size_t given_linkage_ = nowhere;        // the token that a declaration which has one begins with
  std::size_t refused_declaration_ = nowhere;  // the token that one of the host's begins with
  std::set<std::string_view> refused_;
  std::set<std::string_view> own_functions_;  // that have names which are refused otherwise
  std::map<std::string_view, template_variable> template_variables_;  // of the module
  std::string refusals_;
  std::map<std::string_view, function_facts> functions_;
  std::vector<kernel_declaration> kernels_;
  std::map<std::string, launch_bound> bounds_;  // by the names of kernels
  std::vector<shared_of_namespace> of_namespaces_;
  std::vector<edit> edits_;
  std::vector<std::pair<std::size_t, std::size_t>> subscripts_;  // the first and the last token of each
  translation result_;
};

}  // namespace

translation translate(std::string_view preprocessed, const translation_options& options) {
  const lexer read(preprocessed);
  return translator(preprocessed, read, options).result();
}

translation translate_host(std::string_view preprocessed, bool is_c) {
  const lexer read(preprocessed);
  const token_sequence t(preprocessed, read.tokens());
  translation result;
  result.text = preprocessed;
  result.kept.push_back({0, preprocessed.size(), 0});
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (t.is(i, "main") && t.is(i + 1, "(") && !t.is(t.after_group(i + 1), ";")) result.has_main = true;
    if (t.is(i, "{") && !(i > 1 && t.is(i - 2, "extern"))) i = t.after_group(i) - 1;
  }
  if (result.has_main) result.text += main_entry_of_host(is_c);
  return result;
}

}  // namespace heddle::jit
