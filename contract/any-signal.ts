/**
 * As `AbortSignal.any`, and it holds what it was made of. In Node 20 a combined signal does not: a time
 * limit of which nobody else knows is then collected, and never comes.
 */
export function anySignal(signals: AbortSignal[]): AbortSignal {
  return Object.assign(AbortSignal.any(signals), { madeOf: signals });
}
