"""Creates, lists and deletes a plant with the client that is generated from docs/openapi.json.

BASE_URL and TOKEN come from the environment.
"""

import json
import os

from plant_store_client import AuthenticatedClient
from plant_store_client.api.plants import create_plant, delete_plant, list_plants
from plant_store_client.models import NewPlant, Plant, Problem

client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["TOKEN"])
# A floating-point number would make it 9007199254740992.
id = 9007199254740993

with open(os.environ["DOCUMENT"]) as file:
    create = json.load(file)["paths"]["/plants"]["post"]
example = create["requestBody"]["content"]["application/json"]["example"]
plant = {name: value for name, value in example.items() if name != "id"}

created = create_plant.sync(client=client, body=NewPlant.from_dict({**plant, "id": id}))
assert created == Plant.from_dict(plant), created

other = NewPlant.from_dict({**plant, "id": id, "name": "x"})
conflict = create_plant.sync(client=client, body=other)
assert isinstance(conflict, Problem), conflict
assert conflict.type_ == "urn:problem-type:plant-store:plant-exists", conflict

listed = list_plants.sync(client=client, limit=10)
assert listed == [Plant.from_dict(plant)], listed

assert delete_plant.sync_detailed(client=client, id=id - 1).status_code == 404
assert delete_plant.sync_detailed(client=client, id=id).status_code == 204
assert list_plants.sync(client=client) == []
print("The generated Python client created, listed and deleted a plant.")
