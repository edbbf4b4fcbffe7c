/** Things that an agent knows by name: what is said of them, and what must be kept to. */
import { z } from 'zod';
import { limits } from './limits.ts';
import { keySchema } from './fields.ts';
import { withAliases } from './with-aliases.ts';

const name = z
  .string()
  .max(limits.keyCharsMax)
  .trim()
  .min(1)
  .refine((text) => text.isWellFormed(), 'is not well-formed Unicode');
const share = z.number().min(0).max(1);

export const attributeSchema = z.strictObject({
  kind: z.enum(['attribute', 'constraint']).describe('A constraint is always told to a child'),
  content: z
    .string()
    .max(limits.entityTextCharsMax)
    .trim()
    .min(1)
    .refine((text) => text.isWellFormed(), 'is not well-formed Unicode'),
  importance: share.default(0.5),
  confidence: share.default(1),
  status: z.enum(['active', 'archived']).default('active'),
});
const aspect = z.strictObject({
  name,
  attributes: z.array(attributeSchema).max(limits.entityPartsMax).default([]),
});

const parts = {
  type: name.optional().describe('person, project, …'),
  status: z.enum(['active', 'archived']).optional(),
  aliases: z.array(name).max(limits.entityPartsMax).optional().describe('Other names of it'),
  aspects: z
    .array(aspect)
    .max(limits.entityPartsMax)
    .optional()
    .describe('Replaces all that was said of it before; left out, that stays'),
};
export const entityPartsSchema = z.strictObject(parts);
export type EntityParts = z.output<typeof entityPartsSchema>;

export const putEntitySchema = withAliases(
  z.strictObject({
    entity: name,
    agentId: keySchema.optional(),
    ...parts,
  }),
);
export const entitySchema = z.strictObject({ entity: name, agentId: keySchema.optional() });
export const listEntitiesSchema = z.strictObject({
  agentId: keySchema.optional(),
  limit: z.coerce.number().int().min(1).max(limits.pageMax).default(limits.pageDefault),
  cursor: z
    .string()
    .min(1)
    .max(6 * limits.keyCharsMax)
    .optional(),
});

export const entityRecordSchema = z.object({
  name: z.string(),
  agentId: z.string(),
  type: z.string().nullable(),
  status: z.enum(['active', 'archived']),
  aliases: z.array(z.string()),
  aspects: z.array(z.object({ name: z.string(), attributes: z.array(attributeSchema) })),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type EntityRecord = z.output<typeof entityRecordSchema>;
