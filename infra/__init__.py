"""How Plumbline runs: embedded services, the gateway, the supervisor and the demo."""
