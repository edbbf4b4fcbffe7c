/** Null for what may be left out is the same as leaving it out: that is how programs with typed records say so. */
import { z } from 'zod';

/** What callers may write: a schema's input, with null wherever a field is optional. */
export type OrNull<T> = T extends readonly (infer E)[]
  ? OrNull<E>[]
  : T extends object
    ? { [K in keyof T]: undefined extends T[K] ? OrNull<T[K]> | null : OrNull<T[K]> }
    : T;

/** Without the optional fields that are null, at any depth. Where null has a meaning of its own, it stays. */
export function withoutNulls(input: unknown, schema: z.ZodType): unknown {
  // Most bodies hold none, and their schema need not be gone through.
  return holdsNull(input) ? stripped(input, schema) : input;
}

function holdsNull(value: unknown): boolean {
  if (typeof value !== 'object') return false;
  return value === null || Object.values(value).some(holdsNull);
}

function stripped(input: unknown, schema: z.ZodType): unknown {
  const bare = bareOf(schema);
  if (bare instanceof z.ZodArray && Array.isArray(input)) {
    return input.map((one) => stripped(one, bare.element as z.ZodType));
  }
  if (!(bare instanceof z.ZodObject) || typeof input !== 'object' || input === null) return input;
  const shape = bare.shape as Record<string, z.ZodType>;
  const fieldOf = (name: string) => (Object.hasOwn(shape, name) ? shape[name] : undefined);
  return Object.fromEntries(
    Object.entries(input).flatMap(([name, value]: [string, unknown]) => {
      const field = fieldOf(name);
      if (field === undefined) return [[name, value]];
      return value === null && isLeftOut(field) ? [] : [[name, stripped(value, field)]];
    }),
  );
}

const isLeftOut = (field: z.ZodType) =>
  field.safeParse(undefined).success && !field.safeParse(null).success;

function bareOf(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNullable
    ? bareOf(schema.unwrap() as z.ZodType)
    : schema;
}
