// Preloaded into a measured process: writes its peak memory in KB to a file when it ends.

import { writeFileSync } from 'node:fs';

process.on('exit', () => writeFileSync(process.env.BENCH_USAGE_FILE, String(process.resourceUsage().maxRSS)));
