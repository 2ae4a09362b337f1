// Beast's and Asio.SSL's own code, compiled once.
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
