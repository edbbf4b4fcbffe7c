import type { Otlp, OtlpOptions } from './otlp.ts';

/** Null where nobody is to be told: then nothing of OpenTelemetry is loaded, and no span is made. */
export async function sendTelemetry(
  endpoint: string | null,
  options: Omit<OtlpOptions, 'endpoint'>,
): Promise<Otlp | null> {
  if (endpoint === null) return null;
  const { startOtlp } = await import('./otlp.ts');
  return startOtlp({ endpoint, ...options });
}
