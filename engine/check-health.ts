import { Connection, type ConnectionOptions } from '@temporalio/client';

export interface EngineHealth {
  serverVersion: string;
}

/** Asks over gRPC, because an open port says nothing. Null when there is no good answer in time. */
export async function checkHealth(
  at: string | ConnectionOptions,
  timeoutMs: number,
): Promise<EngineHealth | null> {
  try {
    const info = await asking(at, timeoutMs, (service) => service.getSystemInfo({}));
    return { serverVersion: info.serverVersion ?? '' };
  } catch {
    return null;
  }
}

/** What keeps a server that answers from working with this namespace, in its words; null: nothing. */
export async function namespaceProblem(
  at: ConnectionOptions,
  namespace: string,
  timeoutMs: number,
): Promise<string | null> {
  try {
    await asking(at, timeoutMs, (service) => service.describeNamespace({ namespace }));
    return null;
  } catch (error) {
    const { details, message } = error as { details?: string; message: string };
    return details || message;
  }
}

async function asking<T>(
  at: string | ConnectionOptions,
  timeoutMs: number,
  ask: (service: Connection['workflowService']) => Promise<T>,
): Promise<T> {
  const target = typeof at === 'string' ? { address: at } : at;
  // A fresh connection each time: a kept one would sit out its back-off between two tries.
  const connection = Connection.lazy({ ...target, interceptors: [], connectTimeout: timeoutMs });
  try {
    return await connection.withDeadline(Date.now() + timeoutMs, () =>
      ask(connection.workflowService),
    );
  } finally {
    await connection.close();
  }
}
