#pragma once

/// The system's dynamic loader, whose lists and locks a fork can leave half changed and held for ever. A fork
/// therefore waits until no other thread is inside these functions, for at most ten seconds.
namespace heddle::impl {

/// dlopen(): null for a library that cannot be loaded, for which dlerror() then gives the reason.
/// \throws heddle::error in a child whose fork waited in vain.
void* load_library(const char* name, int mode);

/// dlclose(). A child whose fork waited in vain keeps the library.
void unload_library(void* library) noexcept;

/// dlsym(): null for a name that the library does not have.
/// \throws heddle::error in a child whose fork waited in vain.
void* symbol_of_library(void* library, const char* name);

}  // namespace heddle::impl
