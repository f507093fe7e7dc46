import type { Dashboard } from '../dashboard.ts'
import { overview } from './overview.ts'
import { processes } from './processes.ts'
import { queues } from './queues.ts'
import { rails } from './rails.ts'

/** By the name of the file. */
export const dashboards: Readonly<Record<string, Dashboard>> = { overview, rails, queues, processes }
