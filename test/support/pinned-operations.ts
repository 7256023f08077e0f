/**
 * What each operation is, written down a second time and in the order of the operations' table. It
 * imports no row, so that a wrong row there does not make it follow.
 */
export const pinnedOperations = [
  {
    function: 'CreatePlant',
    call: 'POST /plants',
    scope: 'plants:write',
    access: 'Plants GetItem PutItem',
    successes: [200, 201],
  },
  {
    function: 'ListPlants',
    call: 'GET /plants',
    scope: 'plants:read',
    access: 'Plants Query',
    successes: [200],
  },
  {
    function: 'DeletePlant',
    call: 'DELETE /plants/{id}',
    scope: 'plants:write',
    access: 'Plants DeleteItem GetItem',
    successes: [204],
  },
];
