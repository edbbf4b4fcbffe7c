/** The library's own edge: what it reads of the process where its user gives nothing. */
import { readEnvironment, type Environment } from '../contract/config.ts';

export function environmentOfProcess(): Environment {
  return readEnvironment(process.env);
}
