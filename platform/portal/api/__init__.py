"""HTTP in, HTTP out: routers, schemas and problem documents over `portal.services`."""
