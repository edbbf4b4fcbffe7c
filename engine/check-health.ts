import { Connection, type ConnectionOptions } from '@temporalio/client';

export interface EngineHealth {
  serverVersion: string;
}

/** Asks over gRPC, because an open port says nothing. Null when there is no good answer in time. */
export async function checkHealth(
  at: string | ConnectionOptions,
  timeoutMs: number,
): Promise<EngineHealth | null> {
  const target = typeof at === 'string' ? { address: at } : at;
  // A fresh connection each time: a kept one would sit out its back-off between two tries.
  const connection = Connection.lazy({ ...target, interceptors: [], connectTimeout: timeoutMs });
  try {
    const info = await connection.withDeadline(Date.now() + timeoutMs, () =>
      connection.workflowService.getSystemInfo({}),
    );
    return { serverVersion: info.serverVersion ?? '' };
  } catch {
    return null;
  } finally {
    await connection.close();
  }
}
