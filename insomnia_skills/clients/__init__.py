"""Other clients of Agent Skills: where they keep skills, and what their keys mean."""
