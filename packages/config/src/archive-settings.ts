import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { ConfigError } from './faults.ts'
import { parseYaml } from './parse-yaml.ts'
import { rules } from './rules.ts'

const archiveSettings = z.object({
  retention_days: rules.retention_days,
  archive_folder: rules.archive_folder.nonoptional('is required to archive months'),
})

export interface ArchiveSettings {
  readonly retentionDays: number
  readonly folder: string
}

/**
 * Reads what `archive` needs of the deployment's file, and resolves none of its secrets.
 *
 * @throws {ConfigError}
 */
export function loadArchiveSettings(path: string): ArchiveSettings {
  const { data, error } = archiveSettings.safeParse(parseYaml(readFileSync(path, 'utf8')))
  if (error !== undefined)
    throw new ConfigError(error.issues.map(({ path: at, message }) => ({ path: at.join('.'), message })))
  return { retentionDays: data.retention_days, folder: data.archive_folder }
}
