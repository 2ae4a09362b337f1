// What becomes of exceptions at the edge of a coroutine. Our tasks return errors; an exception that reaches
// the edge is a defect or an exhausted machine, and ends the process with its text.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <exception>

namespace fairway::async {

// Runs the body with cancellation reported as results, not thrown.
boost::asio::awaitable<void> without_cancellation_throws(boost::asio::awaitable<void> body);

void rethrow_as_abort(std::exception_ptr error);

}  // namespace fairway::async
