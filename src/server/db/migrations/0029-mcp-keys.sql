-- What a key for MCP may see and do, as JSON; NULL is a key for the API.
ALTER TABLE api_keys ADD COLUMN mcp TEXT;
