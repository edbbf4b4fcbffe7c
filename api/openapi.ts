/** The OpenAPI 3.1 document, made from the list of operations. */
import { limits } from '../contract/limits.ts';
import {
  operations,
  type OperationDeclaration,
  type OperationName,
} from '../contract/operations.ts';
import { exportSessionSchema } from '../contract/transcripts.ts';
import { getSubagentSchema } from '../contract/requests.ts';
import { runtimePaths } from '../contract/words.ts';
import { answerLinks, bodyExamples } from './examples.ts';
import { eventsPath, eventsQuerySchema, sessionEventsPath } from './event-route.ts';
import {
  answerSchemas,
  inputSchema,
  ofHook,
  refTo,
  withNulls,
  type JsonObject,
} from './json-schema.ts';
import { namesInPath } from './operation-routes.ts';
import { problemStatus, problemType } from './problem.ts';

export interface OpenApiDocument {
  openapi: '3.1.1';
  info: JsonObject;
  security: JsonObject[];
  paths: Record<string, Record<string, ApiOperation>>;
  components: { schemas: Record<string, JsonObject>; securitySchemes: JsonObject };
}
export interface ApiOperation {
  operationId: string;
  summary: string;
  description?: string;
  parameters: JsonObject[];
  requestBody?: JsonObject;
  responses: Record<string, JsonObject>;
}

export function openApiDocument(version: string): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  const add = (path: string, method: string, operation: ApiOperation) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  };
  for (const name of Object.keys(operations) as OperationName[]) {
    const { path, method } = operations[name];
    add(path, method, describeOperation(name));
  }
  add(eventsPath, 'GET', describeEvents());
  add(sessionEventsPath, 'GET', describeSessionEvents());
  return {
    openapi: '3.1.1',
    info: {
      title: 'Offshoot',
      version,
      description:
        'Runs agents for agents, durably. What has been accepted here is never lost, whichever process dies.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    security: [{ bearer: [] }],
    paths,
    components: {
      schemas: answerSchemas(),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            "The administrator's token (a file in the home), or a child's (OFFSHOOT_TOKEN).",
        },
      },
    },
  };
}

function describeOperation(name: OperationName): ApiOperation {
  const operation: OperationDeclaration = operations[name];
  const { fields, required, rest } = splitPath(operation);
  const hasBody = operation.method === 'POST' || operation.method === 'PUT';
  const query = hasBody ? [] : Object.entries(rest.properties);
  return {
    operationId: name,
    summary: operation.summary,
    // No parameter: with it nothing else of the request counts, which no schema can say.
    ...(operation.idle && { description: noHooksWords }),
    parameters: [
      ...fields,
      ...query.map(([field, schema]) => parameter('query', field, schema, required.has(field))),
      ...headerParameters(operation),
    ],
    ...(hasBody && {
      requestBody: {
        required: required.size > 0,
        content: jsonContent(rest, bodyExamples[name]),
      },
    }),
    responses: responsesOf(name, operation),
  };
}

const noHooksWords =
  'With the header `X-Offshoot-No-Hooks: 1` (or `X-Signet-No-Hooks`) nothing is read and nothing is done, and the answer says `internal`.';

/** Names in the path are parameters; all other fields are the query or the body. */
function splitPath(operation: OperationDeclaration) {
  const hasBody = operation.method === 'POST' || operation.method === 'PUT';
  const input = inputSchema(operation.input);
  const schema = operation.idle ? ofHook(input) : input;
  const { properties, required = [], ...whole } = hasBody ? withNulls(schema) : schema;
  const inPath = namesInPath(operation.path);
  const left = required.filter((field) => !inPath.includes(field));
  return {
    fields: inPath.map((field) => parameter('path', field, properties[field] ?? {}, true)),
    required: new Set(left),
    rest: {
      ...whole,
      properties: Object.fromEntries(
        Object.entries(properties).filter(([field]) => !inPath.includes(field)),
      ),
      ...(left.length > 0 && { required: left }),
    },
  };
}

function hookParameters(): JsonObject[] {
  // An empty header is none, as of a template whose variable was not set.
  const words = { enum: [...runtimePaths, ''] };
  const path = parameter('header', 'X-Offshoot-Runtime-Path', words, false);
  path['description'] =
    'Which way the hook took; also X-Signet-Runtime-Path. One path has a session: 409 for the other.';
  // Any word but 1 is as none, and not refused.
  const late = parameter('header', 'X-Offshoot-Late-Hook', { type: 'string' }, false);
  late['description'] =
    'With 1 nobody reads the answer: the hook was kept while no server was there. Nothing is offered or inherited.';
  return [path, late];
}

function headerParameters(operation: OperationDeclaration): JsonObject[] {
  const key = { type: 'string', maxLength: limits.keyCharsMax };
  const asker = parameter('header', 'X-Agent-Session-Id', key, false);
  asker['description'] = 'Session key of who asks; checked against the token and the store.';
  if (!operation.accepted && !operation.idle) return [asker];
  const idempotency = parameter('header', 'Idempotency-Key', key, false);
  idempotency['description'] =
    'The same key with the same body is one invocation, or one hook, however often it is sent.';
  return [asker, idempotency, ...(operation.idle ? hookParameters() : [])];
}

function responsesOf(
  name: OperationName,
  operation: OperationDeclaration,
): ApiOperation['responses'] {
  const content = jsonContent(refTo(name));
  const links = answerLinks[name];
  const answer = { content, ...(links && { links }) };
  return {
    '200': { description: operation.accepted ? 'The final record' : 'The answer', ...answer },
    ...(operation.accepted && {
      [operation.accepted]: {
        description: 'Accepted, and not ended yet',
        headers: { Location: { description: 'Where to ask', schema: { type: 'string' } } },
        ...answer,
      },
    }),
    ...problemResponses(),
  };
}

/** Before there is a request to look at: `unparsed-request.ts`. */
const headProblems: [string, number][] = [
  ['bad_request: the headers did not come in time', 408],
  ['bad_request: address and headers have more than 16 KiB together', 431],
];

/** Every call can be refused in the same words; which codes there are stands at each status. */
function problemResponses(): ApiOperation['responses'] {
  const codes = [...Object.entries(problemStatus), ...headProblems];
  const statuses = [...new Set(codes.map(([, status]) => status))].toSorted((a, b) => a - b);
  const content = { [problemType]: { schema: { $ref: '#/components/schemas/Problem' } } };
  return Object.fromEntries(
    statuses.map((status) => {
      const names = codes.filter(([, of]) => of === status).map(([code]) => code);
      return [String(status), { description: names.join(', '), content }];
    }),
  );
}

function describeEvents(): ApiOperation {
  const after = inputSchema(eventsQuerySchema).properties['after'] ?? {};
  const id = inputSchema(getSubagentSchema).properties['id'] ?? {};
  const key = { type: 'string', maxLength: limits.keyCharsMax };
  return {
    operationId: 'watchSubagent',
    summary:
      'The transcript as server-sent events: `turn` with a Turn each, then `end` with the record',
    parameters: [
      parameter('path', 'id', id, true),
      parameter('query', 'after', after, false),
      parameter('header', 'Last-Event-ID', after, false),
      parameter('header', 'X-Agent-Session-Id', key, false),
    ],
    responses: {
      '200': {
        description: 'A stream; a comment every 15 s keeps it alive',
        content: { 'text/event-stream': { schema: oneEvent } },
      },
      ...problemResponses(),
    },
  };
}

function describeSessionEvents(): ApiOperation {
  const { properties } = inputSchema(exportSessionSchema);
  const { parameters, ...events } = describeEvents();
  return {
    ...events,
    operationId: 'watchSession',
    summary: 'The transcript of a session as server-sent events: `turn` with a SessionTurn each',
    parameters: [
      parameter('path', 'key', properties['key'] ?? {}, true),
      parameter('query', 'agentId', properties['agentId'] ?? {}, false),
      ...parameters.slice(1),
    ],
  };
}

/** Each event of the stream; its data is JSON, as one line. */
const oneEvent = {
  type: 'object',
  properties: {
    id: { type: 'string', pattern: '^[0-9]+$', description: 'For Last-Event-ID' },
    event: { enum: ['turn', 'end', 'problem'] },
    data: {
      type: 'string',
      contentMediaType: 'application/json',
      description: 'A Turn, then the SubAgentRecord; code, detail and hint of a problem',
    },
  },
};

function parameter(where: string, name: string, schema: JsonObject, required: boolean): JsonObject {
  return { in: where, name, required, schema };
}

function jsonContent(schema: JsonObject, example?: JsonObject): JsonObject {
  return { 'application/json': { schema, ...(example && { example }) } };
}
