#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Who may reach the server: what a browser says of where it is, and of whose page asks.
namespace heddle::viewer {

/// Whether only this machine reaches an address: 127.0.0.0/8, ::1 and localhost.
bool is_loopback(std::string_view host) noexcept;

/// Whether a Host header names this server by what no foreign name server can: its own address, localhost,
/// an address in digits, or the name of this machine. Another site's name that was made to mean this machine
/// (DNS rebinding) is none of them. `own_name` is the machine's.
bool is_own_host(std::string_view header, std::string_view host, std::uint16_t port,
                 std::string_view own_name) noexcept;

/// Whether a page of this server asks: its Origin is the host that its Host header names.
bool is_own_origin(std::string_view origin, std::string_view host_header) noexcept;

/// 128 random bits as hexadecimal digits.
std::string random_token();

/// Compares in a time that does not depend on where they differ.
bool is_same_token(std::string_view a, std::string_view b) noexcept;

/// The token in the query of an address, "token=…&x=…"; empty where there is none.
std::string_view token_in(std::string_view query) noexcept;

}  // namespace heddle::viewer
