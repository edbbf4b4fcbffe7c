/** A name as a part of a path. URLs take one of dots alone for a way through it, however it is written. */
import { AppError } from './errors.ts';

export const isPathPart = (name: string): boolean => name !== '.' && name !== '..';
export const pathPartWords = 'must not be . or ..';

export function pathPart(field: string, name: string): string {
  if (!isPathPart(name)) throw new AppError('bad_request', `${field}: ${pathPartWords}`);
  return encodeURIComponent(name);
}
