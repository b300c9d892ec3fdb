// The minimum work of any plan: parse the same manifests, fetch and parse the same pages.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'undici';
import { parseDocument } from 'yaml';

const flags = readdirSync('flags').map((file) => parseDocument(readFileSync(join('flags', file), 'utf8')).toJS());
const pool = new Pool(process.env.POSTHOG_HOST, { connections: 8 });
const path = (offset) => `/api/projects/${process.env.POSTHOG_PROJECT_ID}/feature_flags/?limit=100&offset=${offset}`;
const read = async (offset) => {
  const headers = { authorization: `Bearer ${process.env.POSTHOG_API_KEY}` };
  return JSON.parse(await (await pool.request({ method: 'GET', path: path(offset), headers })).body.text());
};
const first = await read(0);
const offsets = Array.from({ length: Math.ceil(first.count / 100) - 1 }, (_, index) => (index + 1) * 100);
const pages = await Promise.all(offsets.map(read));
await pool.close();
console.log(flags.length, pages.length + 1);
