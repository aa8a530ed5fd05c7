// Writes src/generated/ from the OpenAPI documents of the API and of the console's own operations: the types of the
// client with the paths that the console calls by session, and the operations as the API pages show them.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';

const PUBLIC_PREFIX = '/api/ext/v3/';
const CONSOLE_PREFIX = '/console/api/';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const MAX_EXAMPLE_DEPTH = 5;

const root = new URL('..', import.meta.url);
const target = new URL('src/generated/', root);
const [document, ownDocument] = await Promise.all(['switchboard', 'console'].map(readDocument));

await mkdir(target, { recursive: true });
await writeFile(new URL('api.ts', target), astToString(await openapiTS(sessionDocument())));
const operations = describeOperations();
const permissions = operations.map(({ id, method, path, summary, tag, anyOf, roles, byToken }) => ({
  id,
  method,
  path,
  summary,
  tag,
  anyOf,
  roles,
  byToken,
}));
await writeFile(new URL('operations.json', target), JSON.stringify(permissions));
await writeFile(new URL('reference.json', target), JSON.stringify(operations));
console.log(`generated: ${operations.length} operations`);

async function readDocument(name) {
  return JSON.parse(await readFile(new URL(`../openapi/${name}.json`, root), 'utf8'));
}

/** The V3 operations under the paths at which the console calls them, and the console's own operations. */
function sessionDocument() {
  const paths = Object.fromEntries(
    Object.entries(document.paths)
      .filter(([path]) => path.startsWith(PUBLIC_PREFIX))
      .map(([path, item]) => [CONSOLE_PREFIX + path.slice(PUBLIC_PREFIX.length), item]),
  );
  return {
    ...document,
    paths: { ...paths, ...ownDocument.paths },
    components: { ...document.components, schemas: sessionSchemas() },
  };
}

/** The schemas of both documents. One name must mean one schema. */
function sessionSchemas() {
  const [shared, own] = [document.components.schemas, ownDocument.components.schemas];
  const clash = Object.keys(own).find(
    (name) => name in shared && JSON.stringify(shared[name]) !== JSON.stringify(own[name]),
  );
  if (clash) throw new Error(`${clash} is a schema of both documents: rename one of them`);
  return { ...shared, ...own };
}

function describeOperations() {
  const found = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      const permission = operation?.['x-service-permissions'];
      if (!operation || permission?.public) continue;
      found.push({
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        summary: operation.summary ?? operation.operationId,
        tag: operation.tags?.[0] ?? 'other',
        anyOf: permission?.any_of ?? [],
        roles: permission?.roles ?? [],
        // Some operations take one kind of credential only.
        byToken:
          (permission?.roles ?? []).includes('API_TOKEN') && (permission?.credential ?? 'api_token') === 'api_token',
        feature: permission?.feature ?? null,
        description: (operation.description ?? '').split('**Permissions**')[0].trim(),
        parameters: (operation.parameters ?? []).map(describeParameter),
        body: describeBody(operation.requestBody),
        answer: describeAnswer(operation.responses ?? {}),
      });
    }
  }
  return found;
}

function describeParameter(parameter) {
  const { name, in: place, required = false, description = '' } = resolve(parameter);
  const schema = resolve(resolve(parameter).schema ?? {});
  return { name, in: place, required, description, type: typeName(schema), values: schema.enum ?? null };
}

function describeBody(body) {
  if (!body) return null;
  const [type, media] = Object.entries(resolve(body).content ?? {})[0] ?? [];
  if (!media) return null;
  return { type, members: members(media.schema), example: media.example ?? exampleOf(media.schema, 0, true) };
}

function describeAnswer(responses) {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'));
  if (!success) return null;
  const [type, media] = Object.entries(resolve(success[1]).content ?? {})[0] ?? [];
  if (!media) return null;
  return {
    status: success[0],
    type,
    members: members(media.schema),
    example: media.example ?? exampleOf(media.schema, 0, false),
  };
}

function members(schema) {
  const merged = merge(schema);
  return Object.entries(merged.properties).map(([name, property]) => {
    const seen = resolve(property);
    return {
      name,
      type: typeName(seen),
      required: merged.required.includes(name),
      description: property.description ?? seen.description ?? '',
    };
  });
}

function merge(schema) {
  const seen = resolve(schema ?? {});
  const merged = { properties: { ...seen.properties }, required: [...(seen.required ?? [])] };
  for (const part of seen.allOf ?? []) {
    const inner = merge(part);
    Object.assign(merged.properties, inner.properties);
    merged.required.push(...inner.required);
  }
  return merged;
}

function resolve(schema) {
  let seen = schema;
  while (seen?.$ref)
    seen = seen.$ref
      .slice(2)
      .split('/')
      .reduce((at, step) => at[step], document);
  const alternatives = (seen?.oneOf ?? seen?.anyOf ?? []).filter((part) => part.type !== 'null');
  return alternatives.length === 1
    ? { ...resolve(alternatives[0]), description: seen.description ?? alternatives[0].description }
    : (seen ?? {});
}

function typeName(schema) {
  const types = [schema.type].flat().filter((type) => type && type !== 'null');
  if (schema.enum) return 'string';
  if (types[0] === 'array') return `array of ${typeName(resolve(schema.items ?? {})) || 'values'}`;
  return types.join(' or ') || (schema.properties || schema.allOf ? 'object' : 'any');
}

/** A value of the schema's shape. Of a request body only what is required, and the first member where nothing is. */
function exampleOf(schema, depth, requiredOnly) {
  const seen = resolve(schema ?? {});
  if (seen.example !== undefined) return seen.example;
  if (seen.examples?.length) return seen.examples[0];
  if (seen.enum) return seen.enum[0];
  if (depth > MAX_EXAMPLE_DEPTH) return null;
  const { properties, required } = merge(seen);
  const names = Object.keys(properties);
  if (names.length) {
    const wanted = requiredOnly ? names.filter((name) => required.includes(name)) : names;
    const chosen = wanted.length ? wanted : names.slice(0, 1);
    return Object.fromEntries(chosen.map((name) => [name, exampleOf(properties[name], depth + 1, requiredOnly)]));
  }
  const type = [seen.type].flat().find((name) => name !== 'null');
  if (type === 'array') return [exampleOf(seen.items, depth + 1, requiredOnly)];
  if (type === 'integer' || type === 'number') return seen.default ?? seen.minimum ?? 0;
  if (type === 'boolean') return seen.default ?? false;
  if (type === 'object') return {};
  return type === 'string' ? (seen.default ?? 'string') : null;
}
