"""Creates, lists and deletes a plant with the client that is generated from docs/openapi.json.

BASE_URL and TOKEN come from the environment.
"""

import os

from plant_store_client import AuthenticatedClient
from plant_store_client.api.plants import create_plant, delete_plant, list_plants
from plant_store_client.models import NewPlant, Plant, Problem

client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["TOKEN"])
# A floating-point number would make it 9007199254740992.
id = 9007199254740993

created = create_plant.sync(client=client, body=NewPlant(id=id, name="Monstera", tag="indoor"))
assert created == Plant(name="Monstera", tag="indoor"), created

conflict = create_plant.sync(client=client, body=NewPlant(id=id, name="Aloe"))
assert isinstance(conflict, Problem), conflict
assert conflict.type_ == "urn:problem-type:plant-store:plant-exists", conflict

listed = list_plants.sync(client=client, limit=10)
assert listed == [Plant(name="Monstera", tag="indoor")], listed

assert delete_plant.sync_detailed(client=client, id=id - 1).status_code == 404
assert delete_plant.sync_detailed(client=client, id=id).status_code == 204
assert list_plants.sync(client=client) == []
print("The generated Python client created, listed and deleted a plant.")
