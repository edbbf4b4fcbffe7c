/** One operation as one HTTP request: the path filled, the rest as query or body, the answer parsed. */
import { AppError } from '../contract/errors.ts';
import { hints } from '../contract/hints.ts';
import { headers } from '../contract/names.ts';
import {
  operations,
  type OperationDeclaration,
  type OperationInput,
  type OperationName,
  type OperationOutput,
} from '../contract/operations.ts';
import { pathPart } from '../contract/path-part.ts';
import { traceparentHeader } from '../contract/trace.ts';
import { findableBy, LostAnswer } from './retry.ts';
import { requestJson, type HttpRequest, type Transport } from './transport.ts';

export type SendOperation = <N extends OperationName>(
  name: N,
  input: OperationInput<N>,
) => Promise<OperationOutput<N>>;

export interface SendContext {
  parentSessionId: string | null;
  idempotencyKey: string;
  traceparent: string | null;
  signal?: AbortSignal;
}

export async function sendOperation<N extends OperationName>(
  transport: Transport,
  name: N,
  input: OperationInput<N>,
  context: SendContext,
): Promise<OperationOutput<N>> {
  const operation: OperationDeclaration = operations[name];
  const fields = input as Record<string, unknown>;
  const asked = requestJson(transport, {
    ...requestFor(operation, fields),
    headers: headersFor(name, fields, context),
    waitSeconds: Number(fields['waitSeconds'] ?? 0),
    ...(context.signal ? { signal: context.signal } : {}),
  });
  const answer = await (isStart(name)
    ? findableBy(hints.mayBeTaken.http, asked, (error) => error instanceof LostAnswer)
    : asked);
  const parsed = operation.output.safeParse(answer);
  if (parsed.success) return parsed.data as OperationOutput<N>;
  throw new AppError(
    'internal',
    `The server at ${transport.url} answered ${name} in a shape not known here.`,
    {
      cause: parsed.error,
      hint: 'Client and server are of different versions: run `offshoot down`, then `offshoot up`.',
    },
  );
}

/** Braces in the path are fields of the input; what is left goes into the query or the body. A query has no null. */
export function requestFor(
  operation: OperationDeclaration,
  input: Record<string, unknown>,
): Pick<HttpRequest, 'method' | 'path' | 'body'> {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = rest.get(field);
    rest.delete(field);
    return pathPart(field, String(value));
  });
  const { method } = operation;
  if (method === 'POST' || method === 'PUT') {
    return { method, path, body: Object.fromEntries(rest) };
  }
  const given = [...rest].filter(([, value]) => value !== null);
  const query = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  );
  return { method, path: given.length === 0 ? path : `${path}?${query.toString()}`, body: null };
}

/**
 * Only what starts work carries a key, and names who asks; a wait names it, too, because whoever stands still
 * lends its slot. No other read does: a stale session must not spoil it.
 */
function headersFor(
  name: OperationName,
  input: Record<string, unknown>,
  { parentSessionId, idempotencyKey, traceparent }: SendContext,
): Record<string, string> {
  if (!isStart(name) && name !== 'waitSubagents') return {};
  // A parent in the request is the caller's own word and beats the one of its surroundings.
  const isNamed = parentSessionId === null || (input['parentSessionId'] ?? null) !== null;
  return {
    ...(isNamed ? {} : { [headers.parentSession]: asHeader(parentSessionId) }),
    ...(isStart(name) ? { [headers.idempotencyKey]: asHeader(idempotencyKey) } : {}),
    ...(isStart(name) && traceparent !== null ? { [traceparentHeader]: traceparent } : {}),
  };
}

const isStart = (name: OperationName) => name === 'runSubagent' || name === 'sendToSubagent';

/** Keys are any text; a header takes bytes, which the server reads as UTF-8. */
function asHeader(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
