/** A file of an earlier version is migrated and keeps its content; a file of a later version is refused. */

import { join } from 'node:path';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { openDatabase, MIGRATIONS } from '../../src/store/database.ts';
import { FLAGS, results, ROLES, start } from '../harness.ts';
import { createWorkspace } from '../../../test/helpers/workspace.ts';

function file(): string {
  return join(createWorkspace().root, 'service.db');
}

/** A file of the first version, with a flag, its activity and its role access, a cohort and a group. */
function versionOne(): string {
  const path = file();
  const database = new Database(path);
  database.exec(MIGRATIONS[0] ?? '');
  const entry = JSON.stringify({ activity: 'created', scope: 'FeatureFlag', item_id: '5' });
  database.exec(`
    INSERT INTO flag VALUES (5, '1', 'old', 'Old', 1, 0, 0, 3, '2026-01-01T00:00:00Z', 1, '{}', '{"groups":[]}');
    INSERT INTO activity (project_id, flag_id, entry) VALUES ('1', 5, '${entry}');
    INSERT INTO cohort VALUES ('1', 42, 'Old name');
    INSERT INTO group_name VALUES ('1', 0, 'acme', 'Acme Inc');
    INSERT INTO role VALUES ('${ROLES['support'] ?? ''}', 'support', 37, '2026-01-01T00:00:00Z');
    INSERT INTO role_access VALUES (9, 5, '${ROLES['support'] ?? ''}', '2026-01-02T00:00:00Z');
    PRAGMA user_version = 1;
  `);
  database.close();
  return path;
}

test('a file of version 1', async () => {
  const data = versionOne();
  const client = await start({ data, profile: 'posthog' });
  expect(results(await client.get(FLAGS))).toMatchObject([{ id: 5, key: 'old', version: 3 }]);
  expect(results(await client.get(`${FLAGS}5/activity/`))).toMatchObject([{ activity: 'created' }]);
  expect((await client.get('/api/projects/1/persons/')).body).toEqual({ results: [], next: null, previous: null });
  expect((await client.get(`${FLAGS}5/access_controls/`)).body).toMatchObject({
    access_controls: [{ role: ROLES['support'], access_level: 'editor', created_at: '2026-01-02T00:00:00Z' }],
  });
  const alert = {
    insight: 1,
    subscribed_users: [],
    threshold: { configuration: { type: 'absolute', bounds: { lower: 1 } } },
  };
  expect((await client.post('/api/projects/1/alerts/', alert)).status).toBe(201);
  client.service.checkAlert({ alert: '', state: 'Firing' });
  const condition = { properties: [{ key: 'id', type: 'cohort', operator: 'in', value: 42 }] };
  const flag = await client.create({ key: 'new', filters: { groups: [condition] } });
  expect(flag).toMatchObject({ id: 6, filters: { groups: [{ properties: [{ cohort_name: 'beta' }] }] } });
  await client.service.close();
  const again = await start({ data, profile: 'posthog' });
  expect(results(await again.get(FLAGS))).toHaveLength(2);
  expect(results(await again.get('/api/projects/1/alerts/'))).toMatchObject([{ state: 'Firing' }]);
});

test('a name of the configuration does not replace the one that a request wrote', async () => {
  const data = file();
  const client = await start({ data });
  const path = '/api/projects/1/cohorts/42/';
  expect((await client.get(path)).body).toMatchObject({ name: 'beta', is_static: true, created_at: null });
  await client.patch(path, { name: 'Beta testers' });
  await client.service.close();
  const again = await start({ data });
  expect((await again.get(path)).body).toMatchObject({ name: 'Beta testers' });
});

test('a file of a later version is refused and not changed', async () => {
  const data = file();
  const database = new Database(data);
  database.exec('PRAGMA user_version = 99; CREATE TABLE mine (a)');
  database.close();
  await expect(start({ data })).rejects.toMatchObject({
    code: 'file',
    message: expect.stringContaining('later version') as string,
  });
  const after = new Database(data);
  expect(after.prepare('PRAGMA user_version').get([])).toMatchObject({ user_version: 99 });
  after.close();
});

test('each new database has the tables of a migrated one', () => {
  const old = file();
  const made = new Database(old);
  made.exec(MIGRATIONS[0] ?? '');
  made.exec('PRAGMA user_version = 1');
  made.close();
  const opened = [old, ':memory:', file(), ':memory:', file()].map(openDatabase);
  const [migrated = [], ...others] = opened.map((database) =>
    database.all('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name')(),
  );
  const versions = opened.map((database) => database.get('PRAGMA user_version')());
  for (const database of opened) database.close();
  expect(migrated.length).toBeGreaterThan(40);
  for (const other of others) expect(other).toEqual(migrated);
  for (const version of versions) expect(version).toMatchObject({ user_version: MIGRATIONS.length });
});
