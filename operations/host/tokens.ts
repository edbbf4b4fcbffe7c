/** Tokens of runner hosts on other machines: given, revoked, and looked at on every request. */
import { AppError } from '../../contract/errors.ts';
import { localHostId } from '../../contract/names.ts';
import type { OperationOutput, ParsedInput } from '../../contract/operations.ts';
import { signToken, type TokenClaims } from '../../domain/token.ts';
import { admitNext, takeBackUnclaimed } from '../../store/admission.ts';
import { forgetHost } from '../../store/hosts.ts';
import { dropHostToken, hostTokenId, keepHostToken } from '../../store/host-tokens.ts';
import type { Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { requireAdmin } from '../gate.ts';

/** A host's one token. Asked for again, it is another one, and the one before does not hold any more. */
export async function issueHostToken(
  deps: Deps,
  caller: Caller,
  { hostId }: ParsedInput<'issueHostToken'>,
): Promise<OperationOutput<'issueHostToken'>> {
  requireAdmin(caller);
  const tokenId = deps.randomId();
  await deps.store.write((tx) => keepHostToken(tx, hostId, tokenId));
  return { hostId, token: signToken(deps.secret, { role: 'host', hostId, tokenId }) };
}

/**
 * The host can say nothing more. What it runs is lost with its lease, which it ends by itself; what it
 * had not begun goes elsewhere at once.
 */
export async function revokeHostToken(
  deps: Deps,
  caller: Caller,
  { hostId }: ParsedInput<'revokeHostToken'>,
): Promise<OperationOutput<'revokeHostToken'>> {
  requireAdmin(caller);
  await deps.store.write((tx) => {
    if (!dropHostToken(tx, hostId)) {
      throw new AppError('not_found', `there is no token of a runner host ${hostId}`);
    }
    forgetHost(tx, hostId);
    takeBackUnclaimed(tx);
    admitNext(tx);
  });
  return { hostId };
}

/** Whether a host's token still holds. The local host's is made from the secret each time. */
export function isHostWelcome(deps: Deps, claims: TokenClaims): boolean {
  if (claims.role !== 'host' || claims.hostId === localHostId) return true;
  return (
    claims.tokenId !== undefined && hostTokenId(deps.store.db, claims.hostId) === claims.tokenId
  );
}
