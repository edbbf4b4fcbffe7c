/** The door for `offshoot mcp`, which has read the environment and found the server already. */
export { startMcpServer, type McpServerOptions } from './server.ts';
