import { Connection } from '@temporalio/client';

export interface EngineHealth {
  serverVersion: string;
}

/** Asks over gRPC, because an open port says nothing. Null when there is no good answer in time. */
export async function checkHealth(
  address: string,
  timeoutMs: number,
): Promise<EngineHealth | null> {
  // A fresh connection each time: a kept one would sit out its back-off between two tries.
  const connection = Connection.lazy({ address, interceptors: [], connectTimeout: timeoutMs });
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
