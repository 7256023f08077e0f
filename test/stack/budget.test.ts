import { expect, test } from '@jest/globals';
import { readSettings } from '../../lib/settings.ts';
import { propertiesOf, settings, templateWith } from './templates.ts';

test.each([
  ...['1', '1000000', 20].map((budget) => [budget, true] as const),
  ...['0', '1000001', '9.99', '$20'].map((budget) => [budget, false] as const),
])('a monthly budget of %s is valid: %s', (budget, valid) => {
  const faults = () =>
    readSettings({
      'plant-store:monthly-budget': budget,
      'plant-store:alarm-email': 'a@example.com',
    });
  if (valid) expect(faults()).toMatchObject({ 'monthly-budget': Number(budget) });
  else expect(faults).toThrow('plant-store:monthly-budget must be an integer from 1 to 1000000');
});

test('a monthly budget without an e-mail address is refused', () => {
  expect(() => readSettings({ 'plant-store:monthly-budget': '20' })).toThrow(
    'Bad settings: plant-store:monthly-budget needs plant-store:alarm-email, ' +
      'where its warnings go.',
  );
});

test('the budget mails at 80 % of the bill and when its forecast passes the budget', async () => {
  const rule = { ThresholdType: 'PERCENTAGE', ComparisonOperator: 'GREATER_THAN' };
  const mailAt = (NotificationType: string, Threshold: number) => ({
    Notification: { NotificationType, Threshold, ...rule },
    Subscribers: [{ SubscriptionType: 'EMAIL', Address: 'oncall@example.com' }],
  });
  const BudgetLimit = { Amount: 20, Unit: 'USD' };
  expect(propertiesOf(await templateWith(settings.everything), 'AWS::Budgets::Budget')).toEqual([
    {
      // No BudgetName: CloudFormation cannot replace what has a fixed name.
      Budget: { BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit },
      NotificationsWithSubscribers: [mailAt('ACTUAL', 80), mailAt('FORECASTED', 100)],
      ResourceTags: [{ Key: 'plant-store', Value: 'PlantStore-everything' }],
    },
  ]);
});
