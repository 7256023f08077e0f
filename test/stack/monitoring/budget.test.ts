import { expect, test } from '@jest/globals';
import { propertiesOf, settings, templateWith } from '../templates.ts';

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
