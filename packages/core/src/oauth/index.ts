export { isClientDisabled, type JtiVerdict, type Spending, SPENDINGS_MAX, spendJtis } from './clients.ts'
export {
  adoptSigningKey,
  type Adoption,
  listPublishableKeys,
  type PublishableKey,
  type SigningJwk,
} from './signing-keys.ts'
