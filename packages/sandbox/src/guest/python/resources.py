"""Resources of servers: the functions that list, read and follow them."""


def resource_functions(bridge):
    """Returns the functions by name. A resource is a URI, or a link or an entry of a listing with its server."""

    def list_resources(server=None, query=None):
        """Returns the resources and templates of all servers, or those that match."""
        given = {"server": server, "query": query}
        return bridge.request("list_resources", "resources", {name: text for name, text in given.items() if text is not None})

    def about_resource(name, method, resource, server, **more):
        if isinstance(resource, dict):
            server = resource.get("server") if server is None else server
            resource = resource.get("uri")
        return bridge.request(name, "call", method, {"uri": resource, **({} if server is None else {"server": server}), **more})

    def read_resource(resource, *, server=None):
        """Returns the content of a resource: a URI, a link, or an entry of `list_resources`. Await it."""
        return about_resource("read_resource", "resources/read", resource, server)

    def resource_updated(resource, *, server=None, timeout=10):
        """Returns whether a resource was updated since the last call; the first one subscribes. Waits `timeout` seconds."""
        return about_resource("resource_updated", "resources/subscribe", resource, server, timeoutMs=float(timeout) * 1_000)

    functions = (list_resources, read_resource, resource_updated)
    return {function.__name__: function for function in functions}
