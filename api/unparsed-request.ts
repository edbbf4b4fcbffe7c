/** What never becomes a request that the app sees is refused in the same shape as all else. */
import { STATUS_CODES, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { RequestError } from '@hono/node-server';
import { AppError } from '../contract/errors.ts';
import { asAppError, problemResponse } from './problem.ts';

/** Node's parser gave up: nothing can be read from this connection any more. */
export function refuseUnparsed(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    void endWith(socket, problemOf(error));
  });
}

/** A head that parsed, and whose host or path makes no address. */
export function refuseAddress(error: unknown): Response {
  const isTheirs = error instanceof RequestError;
  return problemResponse(
    isTheirs
      ? new AppError('bad_request', `The request names no address: ${error.message}.`)
      : asAppError(error, (unknown) => process.emitWarning(String(unknown))),
  );
}

function problemOf(error: NodeJS.ErrnoException): Response {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return problemResponse(
        new AppError('bad_request', 'The address and the headers are too long.', {
          hint: 'Together they may have 16 KiB. Long text belongs into the body.',
        }),
        { status: 431 },
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problemResponse(new AppError('bad_request', 'The headers did not come in time.'), {
        status: 408,
      });
    default:
      return problemResponse(new AppError('bad_request', 'This is not an HTTP request.'));
  }
}

async function endWith(socket: Socket, response: Response): Promise<void> {
  const body = await response.text();
  const headers = [
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}`,
    ...[...response.headers].map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`);
}
