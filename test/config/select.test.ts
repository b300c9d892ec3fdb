import { describe, expect, it } from 'vitest';
import { DEFAULT_REFS, type Config, type RemoteProject } from '../../src/config/config.ts';
import { apiKeyOf, selectProject } from '../../src/config/select.ts';

const production: RemoteProject = {
  service: 'remote',
  name: 'production',
  host: 'https://us.posthog.com',
  projectId: '5678',
  apiKeyVariable: 'POSTHOG_PRODUCTION_KEY',
  requestsPerMinute: 480,
  roles: {},
  cohorts: {},
};
const config: Config = {
  root: '/repo',
  manifests: [],
  projects: { production, staging: { ...production, name: 'staging' } },
  scope: { include: ['*'], exclude: [] },
  limits: { deletes: 5, deletes_percent: 30, updates_percent: 50, disables: 5 },
  protected: [],
  origins: { limits: {}, protected: new Map() },
  drift: 'revert',
  base: {},
  refs: DEFAULT_REFS,
  guards: [],
  exceptions: 'exceptions.yaml',
};

describe('the hosts that may have a key', () => {
  const key = { POSTHOG_PRODUCTION_KEY: 'phx_secret' };

  it.each([
    [undefined],
    [''],
    ['https://us.posthog.com'],
    ['us.posthog.com'],
    ['https://eu.posthog.com, https://us.posthog.com/'],
    ['other.example\nUS.posthog.com'],
  ])('are those in FLAGWRIGHT_HOSTS: %j', (hosts) => {
    expect(apiKeyOf(production, { ...key, FLAGWRIGHT_HOSTS: hosts })).toBe('phx_secret');
  });

  it.each([
    ['https://eu.posthog.com'],
    ['http://us.posthog.com'],
    ['https://us.posthog.com:8443'],
    ['https://us.posthog.com/base'],
    ['posthog.com'],
    ['*'],
    ['us.posthog.com.evil.example'],
    [','],
  ])('exclude all others: %j', (hosts) => {
    expect(() => apiKeyOf(production, { ...key, FLAGWRIGHT_HOSTS: hosts })).toThrow(
      expect.objectContaining({ diagnostics: [expect.objectContaining({ code: 'config-host-not-allowed' })] }),
    );
  });
});

describe('the project of a run', () => {
  it('is not known without a configuration', () => {
    expect(() => selectProject(config, 'prodution')).toThrow('There is no flagwright.yaml in this or a parent folder');
  });

  it('is the selected one, else the default', () => {
    expect(selectProject(config, 'staging').name).toBe('staging');
    expect(selectProject({ ...config, defaultProject: 'production' }, undefined)).toBe(production);
  });

  it.each([
    [
      'prodution',
      {
        code: 'project-unknown',
        args: { project: 'prodution', available: ['production', 'staging'], suggestion: 'production' },
      },
    ],
    [
      'constructor',
      { code: 'project-unknown', args: { project: 'constructor', available: ['production', 'staging'] } },
    ],
    [undefined, { code: 'config-project-missing', args: { available: ['production', 'staging'] } }],
  ])('is refused when it is %s', (name, diagnostic) => {
    expect(() => selectProject({ ...config, file: 'flagwright.yaml' }, name)).toThrow(
      expect.objectContaining({ code: 'config_invalid', diagnostics: [expect.objectContaining(diagnostic)] }),
    );
  });
});

describe('its key', () => {
  it('is in the variable of the project', () => {
    expect(apiKeyOf(production, { POSTHOG_PRODUCTION_KEY: ' phx_key\n', POSTHOG_API_KEY: 'other' })).toBe('phx_key');
  });

  it.each([{}, { POSTHOG_PRODUCTION_KEY: '' }, { POSTHOG_API_KEY: 'other' }])('is reported as missing in %j', (env) => {
    expect(() => apiKeyOf(production, env)).toThrow('The environment variable POSTHOG_PRODUCTION_KEY is not set.');
  });

  it('is refused if it is the public key of a project, whose message does not quote it', () => {
    const read = (key: string) => () => apiKeyOf(production, { POSTHOG_PRODUCTION_KEY: key });
    expect(read('phc_public')).toThrow(
      expect.objectContaining({
        diagnostics: [expect.objectContaining({ code: 'config-key-of-project', severity: 'error' })],
      }),
    );
    expect(read('phc_public')).not.toThrow(/phc_public/);
    expect(read('phx_phc_')()).toBe('phx_phc_');
  });
});
