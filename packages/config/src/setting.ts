/** What docs/configuration.md says of a setting, beside its type and its default. */
interface SettingMeta {
  readonly description: string
  /** The section of the specification that decides it. */
  readonly section?: string
  readonly unit?: 'ms' | 's' | 'days'
  /** The value that applies if the setting is absent, where the schema has no default. */
  readonly absent?: string
}

/** For `.meta()` of a field. JSON Schema has no keywords for units and sections: json-schema.ts moves them to the text. */
export const setting = (meta: SettingMeta): SettingMeta & Record<string, unknown> => ({ ...meta })
