"""The paths of the server, one noun a module; each lists its `ROUTES`."""
