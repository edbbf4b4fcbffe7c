import { readFileSync, realpathSync } from 'node:fs';
import { homePaths } from '../contract/home.ts';
import { serverFileSchema, type ServerFile } from '../contract/records.ts';

/** Which server a home has, by what that server has written there. Throws where there is none. */
export function readServerFile(home: string): ServerFile {
  const { serverFile, token } = homePaths(home);
  const found = serverFileSchema.parse(JSON.parse(readFileSync(serverFile, 'utf8')));
  // It names its home's token. In a copy of a home that is in use, it is the other home's server.
  if (realpathSync(found.tokenFile) === realpathSync(token)) return found;
  throw new Error(`${serverFile} was copied from another home`);
}
