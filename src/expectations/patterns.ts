/** Where test files are without a setting. */

/** Other programs keep YAML there too, so a file counts only if it looks like a test. */
export const DEFAULT_TESTS: readonly string[] = ['tests/**/*.{yaml,yml}'];
