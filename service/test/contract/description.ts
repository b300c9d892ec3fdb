/** Checks answers against an OpenAPI document, and records which operations have answered. */

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../src/base/json.ts';
import type { Answered } from './runner.ts';

export interface Description {
  check(answered: Answered): void;
  /** Operations of the document that have never answered with a status of their own. */
  missing(): string[];
  /** Names of unreferenced schemas. */
  unused(): string[];
}

interface Template {
  readonly path: string;
  readonly pattern: RegExp;
}

export function readDescription(document: JsonObject): Description {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'description', ...document });
  const paths = document['paths'] as Readonly<Record<string, JsonObject>>;
  const templates = Object.keys(paths).map(templateOf).toSorted(byParameters);
  const asked = new Set<string>();
  const validators = new Map<string, ValidateFunction>();
  return {
    check({ method, path, status, contentType, text }) {
      const template = templates.find(({ pattern }) => pattern.test(path.split('?')[0] ?? ''));
      const operation = template && paths[template.path]?.[method.toLowerCase()];
      if (template === undefined || !isJsonObject(operation)) {
        expect([method, path, [404, 405].includes(status)]).toEqual([method, path, true]);
        return;
      }
      const responses = operation['responses'] as JsonObject;
      const name = Object.hasOwn(responses, String(status)) ? String(status) : 'default';
      if (name === 'default') expect([method, path, status >= 400]).toEqual([method, path, true]);
      else asked.add(`${method} ${template.path}`);
      const content = (responses[name] as JsonObject)['content'] as JsonObject | undefined;
      if (content === undefined) return expect([method, path, text]).toEqual([method, path, '']);
      const type = contentType.split(';')[0] ?? '';
      expect(Object.keys(content)).toContain(type);
      if (type !== 'application/json') return;
      const pointer = ['paths', template.path, method.toLowerCase(), 'responses', name, 'content', type, 'schema'];
      const schema = `description#/${pointer.map(escaped).join('/')}`;
      const validate = validators.get(schema) ?? ajv.compile({ $ref: schema });
      validators.set(schema, validate);
      validate(JSON.parse(text));
      expect({ method, path, status, text, errors: validate.errors }).toMatchObject({ errors: null });
    },
    missing() {
      const all = Object.entries(paths).flatMap(([path, item]) =>
        Object.keys(item)
          .filter((name) => name !== 'parameters')
          .map((method) => `${method.toUpperCase()} ${path}`),
      );
      return all.filter((operation) => !asked.has(operation));
    },
    unused() {
      const { schemas } = document['components'] as { readonly schemas: JsonObject };
      const text = JSON.stringify(document);
      return Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`));
    },
  };
}

function templateOf(path: string): Template {
  const pattern = path.replace(/\/$/, '').replaceAll(/\{\w+\}/g, '[^/]+');
  return { path, pattern: new RegExp(`^${pattern}/?$`) };
}

/** Paths with fewer parameters first: `persons/activity` is not a person. */
function byParameters(a: Template, b: Template): number {
  return a.path.split('{').length - b.path.split('{').length;
}

function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}
