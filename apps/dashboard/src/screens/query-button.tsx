import { i18n } from '../i18n.ts'
import { ChangeButton } from '../ui/change-button.tsx'

/** @param props.id a charge whose rail can be asked */
export const QueryButton = ({ id }: { readonly id: string }) => (
  <ChangeButton
    change="queryCharge"
    id={id}
    action={i18n.t('Query rail now')}
    consequence={
      <p>
        {i18n.t(
          'The worker sends the next status query as soon as it is allowed. The query itself changes nothing; the rail’s answer may.',
        )}
      </p>
    }
  />
)
