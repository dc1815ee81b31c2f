#include "cuda_on_cpu/translate/translation.hpp"

#include "cuda_on_cpu/ptx/inline_assembly.hpp"
#include "cuda_on_cpu/translate/communication.hpp"
#include "cuda_on_cpu/translate/host_addresses.hpp"
#include "cuda_on_cpu/translate/host_part.hpp"
#include "cuda_on_cpu/translate/kernel_table.hpp"
#include "cuda_on_cpu/translate/members.hpp"
#include "cuda_on_cpu/translate/module_variables.hpp"
#include "cuda_on_cpu/translate/optional_headers.hpp"
#include "cuda_on_cpu/translate/refusals.hpp"
#include "cuda_on_cpu/translate/scopes.hpp"
#include "cuda_on_cpu/translate/shared_variables.hpp"
#include "cuda_on_cpu/translate/shifts.hpp"
#include "cuda_on_cpu/translate/source_edits.hpp"
#include "cuda_on_cpu/translate/source_kernels.hpp"
#include "cuda_on_cpu/translate/tokens.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace heddle::cuda_on_cpu {
namespace {

/// How preprocessed text says that what is of CUDA follows.
constexpr std::string_view header_of_language = "/heddle_device/language.hpp\" 1";

/// A text as a literal of C++.
std::string literal(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + '"';
}

/// Goes through a source's tokens once, from the first to the last, and notes what is to be changed.
class translator : private token_sequence {
 public:
  translator(std::string_view source, const lexer& read, const translation_options& options)
      : token_sequence(source, read.tokens()), t_(read.tokens()), options_(options), edits_(source, *this) {
    const std::size_t language = source.find(header_of_language);
    if (language != std::string_view::npos) cuda_begins_ = language;
    for (std::size_t i = 0; i < t_.size();) i = step(i);
    if (!refusals_.empty()) throw error(refusals_);
    for (const text_range& header : unused_headers(source, t_)) edits_.erase(header);
    finish();
  }

  translation result() && { return std::move(result_); }

 private:
  void replace(std::size_t first, std::size_t last, std::string text) {
    edits_.replace(first, last, std::move(text));
  }

  std::size_t step(std::size_t i) {
    const token& t = t_[i];
    if (t.kind == token_kind::identifier) return word(i);
    if (t.text == "{") {
      open(i);
    } else if (t.text == "}") {
      close(i);
    } else if (t.text == ";") {
      if (scopes_.kind() == scope::space && refused_declaration_ == declaration_) {
        edits_.replace(declaration_, i + 1, "", true);
        refused_declaration_ = nowhere;
        declaration_ = i + 1;
        return i + 1;
      }
      if (scopes_.kind() == scope::space && structure_.close != 0) {
        if (t_[structure_.first].begin >= cuda_begins_) {
          edits_.insert(end_of(i), describe_members(*this, structure_.first, structure_.open,
                                                    structure_.close, i, next_number_));
        }
        structure_ = {};
      }
      const bool is_static = scopes_.in_device_code() && scopes_.in_function() && is(declaration_, "static");
      if (is_static ? scopes_.innermost().has_own_statics : scopes_.kind() == scope::space)
        describe(i, is_static);
      declaration_ = i + 1;
    } else if (t.text == ":" && scopes_.kind() == scope::type && i > 0 &&
               (is(i - 1, "public") || is(i - 1, "private") || is(i - 1, "protected"))) {
      declaration_ = i + 1;
    } else if (opens_launch(*this, i)) {
      return rewrite_launch(i);
    } else if (t.text == "[" && scopes_.in_device_code() && scopes_.in_function()) {
      note_subscript(i);
    } else if ((t.text == "<" || t.text == ">") && scopes_.in_device_code() && scopes_.in_function()) {
      edits_.apply(rewrite_shift(*this, i, declaration_));
    }
    return i + 1;
  }

  /// The variables of the module that the present declaration declares, which token `end` ends.
  void describe(std::size_t end, bool is_static) {
    if (!is_static) addresses_.note_variables(declaration_, end);
    if (is(declaration_, "template")) {
      if (const auto v = find_template_variable(*this, declaration_, end)) template_variables_[v->name] = *v;
      return;
    }
    edits_.insert(end_of(end), describe_variables(*this, declaration_, end, is_static, next_number_));
  }

  std::size_t word(std::size_t i) {
    const std::string_view w = t_[i].text;
    if (w == "volatile") result_.has_volatile = true;
    if (w == "return" && scopes_.in_kernel()) kernel_returns_ = true;
    if (!scopes_.empty() && scopes_.innermost().is_in_function) {
      communication_.note_word_in(scopes_.innermost().in_function, w);
    } else {
      communication_.note_word_outside(w);
    }
    if (w == "__global__") {
      kernels_.declare(i, declaration_, scopes_);
      replace(i, i + 1, options_.flattens ? "__attribute__((flatten))" : "");
    } else if (w == "__device__" || w == "__constant__" || w == "__managed__" || w == "__host__" ||
               w == "__grid_constant__") {
      replace(i, i + 1, std::string(w == "__host__" ? "" : linkage_of_file()));
    } else if (w == "__forceinline__") {
      replace(i, i + 1,
              says_inline(i) ? "__attribute__((always_inline))" : "inline __attribute__((always_inline))");
    } else if (w == "__noinline__" && !(i > 0 && (is(i - 1, "(") || is(i - 1, ",")))) {
      replace(i, i + 1, "__attribute__((noinline))");
    } else if ((w == "__launch_bounds__" || w == "__cluster_dims__") && is(i + 1, "(")) {
      const std::size_t end = after_group(i + 1);
      replace(i, end, "");
      return end;
    } else if (w == "__shared__") {
      return declare_shared(i);
    } else if (w.starts_with("__syncthreads") && is(i + 1, "(")) {
      number_barrier(i);
    } else {
      const bool called_so = !(i > 0 && (is(i - 1, ".") || is(i - 1, "->")));
      if (called_so && scopes_.in_device_code() && is_assembly(w)) return rewrite_assembly(i);
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
                         : why_unsupported(*this, i, called_so, scopes_.in_device_code());
  }

  /// Whether token i, a name, is what a function or a variable of the source's own is declared as.
  bool declares_own(std::size_t i) const {
    if (i <= declaration_) return false;
    if (!scopes_.in_function() && is(i + 1, "("))
      return (is_identifier(i - 1) && !is(i - 1, "return")) || is(i - 1, "*") || is(i - 1, "&") ||
             is(i - 1, ">");
    constexpr std::string_view ends[] = {";", "=", ",", ")", "[", "{"};
    const auto follows = [&](std::string_view end) { return is(i + 1, end); };
    if (std::none_of(std::begin(ends), std::end(ends), follows)) return false;
    const bool is_indirect = is(i - 1, "*") || is(i - 1, "&");
    return names_type(is_indirect && i > 1 ? i - 2 : i - 1);
  }

  /// Whether a name that is declared may follow token i.
  bool names_type(std::size_t i) const {
    constexpr std::string_view others[] = {"return",  "case",      "goto",     "throw",    "new",    "delete",
                                           "else",    "do",        "typename", "struct",   "class",  "enum",
                                           "union",   "using",     "const",    "volatile", "static", "extern",
                                           "inline",  "constexpr", "sizeof",   "and",      "or",     "not",
                                           "typedef", "mutable",   "register", "operator"};
    const auto is_word = [&](std::string_view other) { return is(i, other); };
    return is_identifier(i) && std::none_of(std::begin(others), std::end(others), is_word);
  }

  /// All that is not supported is told at once, each name at its first place.
  void note_refusal(std::size_t i, const std::string& why) {
    if (why.empty() || own_names_.count(t_[i].text) != 0) return;
    if (declares_own(i)) {
      own_names_.insert(t_[i].text);
      return;
    }
    if (!options_.is_program && leave_out(i)) return;
    if (refused_.insert(std::string(t_[i].text)).second) tell_refusal(i, why);
  }
  void tell_refusal(std::size_t i, const std::string& why) {
    refusals_ += fmt::format("{}{}:{}: {}", refusals_.empty() ? "" : "\n", *t_[i].file, t_[i].line, why);
  }

  /// Of the host's part, where only kernels run, what uses something that is refused is left out.
  bool leave_out(std::size_t i) {
    if (scopes_.in_device_code() || declares_device_code(i)) return false;
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
    if (options_.is_program && !scopes_.empty() && scopes_.innermost().is_in_function &&
        scopes_.kind() != scope::type && !scopes_.in_device_code())
      edits_.apply(addresses_.name_by_host(i, begin_of_function(), is_in_class()));
    const auto has_name = [&](const char* name) { return w == name; };
    constexpr const char* places[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    if (std::any_of(std::begin(places), std::end(places), has_name)) {
      if (scopes_.in_device_code() || declares_device_code(i))
        replace(i, i + 1, fmt::format("(::heddle_device::{}())", builtin_function(w)));
    } else if (scopes_.in_function() && !scopes_.in_device_code()) {
      if (const auto named = name_allocation(*this, i)) edits_.apply(*named);
      const auto variable = template_variables_.find(w);
      if (variable != template_variables_.end()) {
        if (const auto edits = register_variable(*this, i, variable->second)) edits_.apply(*edits);
      }
      if (!kernels_.has_template(w)) return;
      if (const auto edits = register_instance(*this, i)) edits_.apply(*edits);
    }
  }

  /// Of the declaration of the function that is open, the outermost one.
  std::size_t begin_of_function() {
    const auto outermost = std::find_if(scopes_.begin(), scopes_.end(),
                                        [](const open_scope& s) { return s.kind == scope::function; });
    return outermost == scopes_.end() ? 0 : outermost->declaration;
  }

  bool is_in_class() {
    return std::any_of(scopes_.begin(), scopes_.end(),
                       [](const open_scope& s) { return s.kind == scope::type; });
  }

  /// The first token of its operands.
  std::size_t rewrite_assembly(std::size_t i) {
    const assembly code = cuda_on_cpu::rewrite_assembly(*this, i, next_number_++);
    if (!code.refusal.empty()) {
      // Headers have code for GPUs of all kinds: what no thread comes to is let be.
      const token& at = t_[code.refused_at];
      replace(i, code.end,
              fmt::format("{{ heddle_refuse({}); }}",
                          literal(fmt::format("{}:{}: asm: {}", *at.file, at.line, code.refusal))));
      declaration_ = code.end;
      return code.end;
    }
    edits_.apply(code.edits);
    const std::string_view function = scopes_.innermost().in_function;
    if (code.lets_blocks_communicate) communication_.note_word_in(function, "__threadfence");
    if (code.lets_threads_communicate) communication_.note_word_in(function, "__syncthreads");
    result_.has_volatile |= code.has_volatile;
    if (code.inside == code.end) declaration_ = code.end;
    return code.inside;
  }

  /// Barriers are told apart by their lines; of several on one line the others have a number, too.
  void number_barrier(std::size_t i) {
    const std::size_t before = std::exchange(last_barrier_, i);
    const bool same_line = before < i && t_[before].line == t_[i].line && *t_[before].file == *t_[i].file;
    barriers_on_line_ = same_line && barriers_on_line_ < 100 ? barriers_on_line_ + 1 : 0;
    const bool may_have_returned = !scopes_.in_kernel() || kernel_returns_;
    if (barriers_on_line_ == 0 && may_have_returned) return;
    const std::size_t last = after_group(i + 1) - 1;
    edits_.insert(
        t_[last].begin,
        fmt::format("{}__builtin_FILE(), __builtin_LINE() + {} * ::heddle_device::barriers_on_a_line{}",
                    last == i + 2 ? "" : ", ", barriers_on_line_,
                    may_have_returned ? "" : " + ::heddle_device::no_return_before"));
  }

  /// What keeps a declaration of the device's to its file, where every file has its own.
  std::string_view linkage_of_file() {
    if (!options_.is_apart || scopes_.kind() != scope::space || given_linkage_ == declaration_) return "";
    bool is_template = false, is_specialisation = false, is_variable = true, is_inline = false;
    std::size_t j = declaration_;
    for (; j < t_.size() && !is(j, ";") && !is(j, "=") && !is(j, "{") && !is(j, "["); ++j) {
      if (is(j, "extern") || is(j, "static") || is(j, "__host__") || is(j, "typedef") || is(j, "using"))
        return "";
      is_inline |= is(j, "inline") || is(j, "__inline__") || is(j, "__forceinline__");
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
    if (is_member || is_specialisation) return is_variable || is_inline ? "" : "inline";
    if (is_template && is_variable) return "";
    return "static";
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

  /// The token behind `<<<`.
  std::size_t rewrite_launch(std::size_t i) {
    const launch_parts launch = find_launch(*this, i);
    if (scopes_.in_device_code() && !options_.is_program) {
      note_refusal(i, "<<<: a kernel launches others in a program alone: heddle check without --kernel");
      return launch.inside;
    }
    edits_.apply(cuda_on_cpu::rewrite_launch(*this, launch, kernels_.bound_of_launch(launch.first, i)));
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

  void open(std::size_t i) {
    const bool is_outermost = scopes_.qualifiers().empty() && scopes_.kind() == scope::space,
               is_in_space = scopes_.kind() == scope::space;
    open_scope& opened = scopes_.open(i, declaration_);
    opened.kernels_before = kernels_.count();
    const bool is_body = opened.kind == scope::function;
    result_.has_main |= is_body && is_outermost && opened.in_function == "main";
    if (is_body && is_in_space && opened.is_device && !opened.is_kernel)
      addresses_.note_function(declaration_, i);
    opened.is_dropped = is_body && refused_declaration_ == declaration_;
    if (opened.is_kernel) kernel_returns_ = false;
    refused_declaration_ = nowhere;
    if (is_body) declare_shared_of_namespaces(i);
    if (opened.kind != scope::list) declaration_ = i + 1;
  }

  void close(std::size_t i) {
    if (scopes_.empty()) return;
    const open_scope closed = scopes_.close();
    if (closed.is_dropped) {
      edits_.replace(closed.declaration, i + 1, "", true);
    } else if (closed.is_left_out) {
      edits_.replace(closed.begin, i + 1, "{ __builtin_trap(); }", true);
    } else if (closed.has_inner_braces) {
      edits_.insert(t_[i].begin, "}");
    }
    if (closed.kind == scope::space) kernels_.name_constants_outside(closed, end_of(i), scopes_);
    if (closed.kind == scope::type && scopes_.kind() == scope::space)
      structure_ = {closed.declaration, closed.begin, i};
    // What follows the braces of a class or of an initialiser belongs to the same declaration.
    declaration_ = closed.kind == scope::list || closed.kind == scope::type ? closed.declaration : i + 1;
  }

  std::size_t declare_shared(std::size_t i) {
    shared_declaration declared =
        rewrite_shared(*this, declaration_, i, !scopes_.in_function(), next_number_++);
    for (std::size_t j = declaration_; j < declared.end; ++j) {
      if (t_[j].kind == token_kind::identifier) note_refusal(j, why_refused(j));
    }
    for (shared_of_namespace& of : declared.of_namespace) of_namespaces_.push_back(std::move(of));
    replace(declaration_, declared.end, std::move(declared.text));
    declaration_ = declared.end;
    return declared.end;
  }

  /// A function that names a shared variable of a namespace has its place looked up where it begins.
  void declare_shared_of_namespaces(std::size_t i) {
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
    edits_.insert(end_of(i), text + " {");
    scopes_.innermost().has_inner_braces = true;
  }

  void finish() {
    edits_.write(result_.text, result_.kept);
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

    result_.kernels = kernels_.take();
    result_.text += kernel_table(result_.kernels, kernels_.bounds(), options_);
    if (options_.is_program && result_.has_main) result_.text += main_entry();
    for (kernel_declaration& k : result_.kernels) communication_.describe(k);
  }

  const std::vector<token>& t_;
  const translation_options& options_;
  // A file of C++ may have structures of its own before it includes what is of CUDA.
  std::size_t cuda_begins_ = 0;
  scope_stack scopes_{*this};
  host_addresses addresses_{*this};
  std::size_t declaration_ = 0;  // the token that the present declaration or statement begins with
  std::size_t next_number_ = 0;
  std::size_t last_barrier_ = static_cast<std::size_t>(-1), barriers_on_line_ = 0;
  bool kernel_returns_ = false;  // a return stands in the present kernel
  struct {
    std::size_t first = 0, open = 0, close = 0;
  } structure_;  // that the present declaration has the body of
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  std::size_t given_linkage_ = nowhere;        // the token that a declaration which has one begins with
  std::size_t refused_declaration_ = nowhere;  // the token that one of the host's begins with
  std::set<std::string> refused_;
  std::set<std::string_view> own_names_;                              // that are refused otherwise
  std::map<std::string_view, template_variable> template_variables_;  // of the module
  std::string refusals_;
  communication communication_;
  std::vector<shared_of_namespace> of_namespaces_;
  source_edits edits_;
  source_kernels kernels_{*this, edits_, next_number_};
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

}  // namespace heddle::cuda_on_cpu
