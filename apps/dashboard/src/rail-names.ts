import { language } from './i18n.ts'
import { useRead } from './queries.ts'

/** The rails' names by their codes, as payers know them. Empty until they are read. */
export function useRailNames(): ReadonlyMap<string, string> {
  const { data } = useRead('rails')
  return new Map((data?.data ?? []).map(({ id, name }) => [id, name[language]]))
}
