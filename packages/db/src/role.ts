import { sql } from 'kysely'
import type { Reader } from './database.ts'

interface Role {
  readonly name: string
  readonly superuser: boolean
  readonly owner: boolean
  readonly rewrites: boolean
}

/**
 * Lists the rights that the service's role must not have. A role that can disable triggers, drop a table or
 * change an audit entry could bypass every rule of the tables.
 */
export async function findRoleFaults(reader: Reader): Promise<string[]> {
  const roles = await reader
    .selectFrom(
      // Includes the session role behind a SET ROLE, because any statement can switch back to it.
      sql<Role>`(
        select r.rolname as name, r.rolsuper as superuser,
          exists (
            select from pg_class t join pg_class c on c.relnamespace = t.relnamespace and c.relkind in ('r', 'p')
            where t.oid = 'schema_migrations'::regclass and pg_has_role(r.oid, c.relowner, 'member')) as owner,
          has_table_privilege(r.oid, 'audit_entries', 'update, delete, truncate, trigger') as rewrites
        from pg_roles r where r.rolname in (session_user, current_user))`.as('r'),
    )
    .select(['r.name', 'r.superuser', 'r.owner', 'r.rewrites'])
    .execute()
  return roles.flatMap(faultsOf)
}

function faultsOf({ name, superuser, owner, rewrites }: Role): string[] {
  if (superuser) return [`connects as ${name}, a superuser`]
  if (owner) return [`connects as ${name}, which owns tables of the service or is a member of their owner`]
  return rewrites ? [`connects as ${name}, which may change the audit log`] : []
}
