import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/**
 * Mails when the account's bill of the month passes 80 % of the budget, and when AWS expects it to
 * pass all of it. CloudFormation replaces the budget if the address changes, so it has no name.
 */
export function addBudget(scope: Construct, settings: Settings): void {
  const { 'monthly-budget': amount, 'alarm-email': address } = settings;
  if (!amount || !address) {
    return;
  }
  const mailAt = (notificationType: 'ACTUAL' | 'FORECASTED', percent: number) => ({
    notification: {
      notificationType,
      comparisonOperator: 'GREATER_THAN',
      threshold: percent,
      thresholdType: 'PERCENTAGE',
    },
    subscribers: [{ subscriptionType: 'EMAIL', address }],
  });
  new CfnBudget(scope, 'Budget', {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount, unit: 'USD' } },
    notificationsWithSubscribers: [mailAt('ACTUAL', 80), mailAt('FORECASTED', 100)],
  });
}
