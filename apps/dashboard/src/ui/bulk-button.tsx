import type { BulkJob } from '@merchant-payments/contract'
import type { ReactNode } from 'react'
import { ChangeButton } from './change-button.tsx'
import { i18n } from '../i18n.ts'

interface BulkButtonProps {
  readonly kind: BulkJob['kind']
  readonly ids: readonly string[]
  readonly action: string
  readonly consequence: ReactNode
}

/** Makes the same change of each selected object, as a bulk job. Not shown if no selected object allows it. */
export const BulkButton = ({ kind, ids, action, consequence }: BulkButtonProps) =>
  ids.length > 0 && (
    <ChangeButton
      change="createBulkJob"
      id=""
      subject={i18n.t('{count} selected', { count: ids.length })}
      values={{ kind, ...Object.fromEntries(ids.map((id, at) => [`ids[${at}]`, id])) }}
      action={action}
      consequence={
        <>
          <p>{consequence}</p>
          <p>
            {i18n.t(
              'The worker does it one after the other. Each object has its own entry in the audit log.',
            )}
          </p>
        </>
      }
    />
  )
