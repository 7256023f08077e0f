/** A mistake of the administrator. The message is for them. */
export class PlantsError extends Error {
  override name = 'PlantsError';
}
