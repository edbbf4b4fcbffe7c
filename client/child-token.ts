/** Whether whoever holds it is an agent that we run. Only read: the server alone judges what a token is worth. */
export function isChildToken(token: string): boolean {
  const body = /^off_([\w-]+)\./.exec(token)?.[1] ?? '';
  try {
    const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
    return typeof claims === 'object' && claims !== null && 'role' in claims
      ? claims.role === 'child'
      : false;
  } catch {
    return false;
  }
}
