/** The levels of access to a flag. */

/** Sorted from the lowest to the highest. */
export const LEVELS = ['none', 'viewer', 'editor', 'manager'] as const;

/** The levels of access to a project itself, from the lowest to the highest. */
export const PROJECT_LEVELS = ['none', 'member', 'admin'] as const;

/** The level of everyone where neither the flag nor the project has another one. */
export const DEFAULT_LEVEL = 'editor';

/** The kinds of objects that a project has rules for. */
export const RESOURCES: readonly string[] = [
  'action',
  'activity_log',
  'ai_observability_clusters',
  'customer_analytics',
  'dashboard',
  'early_access_feature',
  'endpoint',
  'error_tracking',
  'evaluation',
  'experiment',
  'export',
  'external_data_source',
  'feature_flag',
  'heatmap',
  'hog_flow',
  'insight',
  'llm_analytics',
  'llm_playground',
  'llm_skill',
  'logs',
  'mcp_analytics',
  'metrics',
  'notebook',
  'replay_scanner',
  'revenue_analytics',
  'session_recording',
  'sharing_configuration',
  'survey',
  'tagger',
  'ticket',
  'toolbar',
  'tracing',
  'warehouse_objects',
  'web_analytics',
];

/** The resource of the rules of a flag. */
export const RESOURCE = 'feature_flag';
