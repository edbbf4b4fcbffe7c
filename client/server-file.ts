import { readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { homePaths } from '../contract/home.ts';
import { serverFileSchema, type ServerFile } from '../contract/system-records.ts';

/** Which server a home has, by what that server has written there. Throws where there is none. */
export function readServerFile(home: string): ServerFile {
  const { serverFile } = homePaths(home);
  const found = serverFileSchema.parse(JSON.parse(readFileSync(serverFile, 'utf8')));
  // It names its home's token. In a copy of a home that is in use, it is the other home's server.
  // Only the folder is looked at: that the token is missing is said by whoever needs it.
  if (realpathSync(dirname(found.tokenFile)) === realpathSync(home)) return found;
  throw new Error(`${serverFile} was copied from another home`);
}
