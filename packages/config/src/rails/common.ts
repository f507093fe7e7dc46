import { z } from 'zod'
import { displayName } from '../rail-display.ts'
import { calledUrl } from '../url.ts'

export const firstQueryAfterMs = z.int().min(0).max(60_000)

export const commonFields = {
  display_name: displayName,
  base_url: calledUrl,
  connect_timeout_ms: z.int().min(1).max(60_000).default(5_000),
  total_timeout_ms: z.int().min(1).max(60_000).default(20_000),
  max_connections: z.int().min(1).max(1_024).default(64),
  first_query_after_ms: firstQueryAfterMs.default(2_000),
}
