/** The registered workflows: every function exported here is a workflow type. */
export { agentSession } from './agent-session.ts';
export { subAgent } from './sub-agent.ts';
